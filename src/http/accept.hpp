#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optimux::http {

/// What a client accepts, read from its `Accept` field (RFC 9110, section 12.5.1). Parts that cannot be read are
/// ignored; without any part everything is accepted. Types are compared without regard to case; parameters other than
/// `q` are ignored.
class Accept {
 public:
  /// `field` is the value of all `Accept` fields, joined by commas; empty when there is none.
  explicit Accept(std::string_view field);

  /// How much the client wants `type` (as in `image/webp`), in thousandths: 0 is "not at all". The most specific part
  /// decides.
  int quality(std::string_view type) const;
  /// As `quality`, but only if the type is named in full: 0 when only a wildcard covers it.
  int named_quality(std::string_view type) const;

 private:
  struct Range {
    std::string type;  ///< Lower case: `image/webp`, `image/*` or `*/*`.
    int quality = 1000;
  };
  const Range* find(std::string_view type) const;
  std::vector<Range> ranges_;
};

}  // namespace optimux::http
