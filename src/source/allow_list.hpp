#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/source.hpp"
#include "source/source_url.hpp"

namespace optimux::source {

/// Which sources a URL may name at all, beside the addresses that it may lead to (`AddressPolicy`). Lists that are
/// empty allow everything. Asked for the URL of a request, and again for each one that a redirect leads to. Immutable,
/// so any thread may ask.
class AllowList {
 public:
  struct Entries {
    /// `example.org`, `*.example.org` (all names below, not the name itself), or an address.
    std::vector<std::string> hosts;
    /// Beginnings of URLs that end with a part of the path: `https://example.org/pictures` allows that and what lies
    /// below, and not `/pictures2`. `file:///` allows the whole store.
    std::vector<std::string> prefixes;
    std::vector<std::string> schemes;  ///< `http`, `https`, `file`, `s3`.
  };

  /// Allows everything.
  AllowList() = default;

  /// Where there are hosts or prefixes, one of them has to fit; where there are schemes, one of these too. Errors:
  /// kInvalidParameter that names the option and the entry.
  static base::Result<AllowList> make(const Entries& entries);

  /// Why `source` may not be fetched, for the log; nothing when it may. A path that climbs (`..`, in whatever encoding)
  /// fits no prefix: origins resolve it where the prefix has been left already.
  std::optional<std::string> refusal(const SourceLocator& source) const;
  /// The same for a URL that a redirect has led to.
  std::optional<std::string> refusal(const HttpUrl& url) const;

 private:
  std::optional<std::string> refusal(std::string_view url, std::string_view host) const;
  bool has_host(std::string_view host) const;
  bool has_prefix_of(std::string_view url) const;

  std::set<std::string, std::less<>> hosts_;
  std::vector<std::string> domains_;   ///< With a dot in front: `.example.org`.
  std::vector<std::string> prefixes_;  ///< In canonical form, keys of files decoded.
  std::set<std::string, std::less<>> schemes_;
};

}  // namespace optimux::source
