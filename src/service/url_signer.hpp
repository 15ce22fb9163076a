#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace optimux::service {

/// A request target cut before its signature. Both views point into the target.
struct SignedTarget {
  std::string_view signed_part;               ///< Path and query without `sig`: what the signature is made of.
  std::optional<std::string_view> signature;  ///< Value of `sig` if that is the last parameter of the query.
};
SignedTarget split_signature(std::string_view target);

/// Signs request targets and checks what others have signed: HMAC-SHA256 over path and query byte for byte as they are
/// sent, in base64url, behind all other parameters as `sig`. Whatever is added to a signed URL, taken away or moved in
/// it, makes another one. Immutable, so any thread may use it; nothing but `make` blocks.
class UrlSigner {
 public:
  /// Without keys: everything is let through as it is.
  UrlSigner() = default;

  /// Each entry is a key in hexadecimal digits, 16 to 256 bytes of it, or `@FILE`: a file of at most 64 KiB with one
  /// key a line, where blank lines and those that begin with `#` are passed over. The first key signs, all of them are
  /// accepted, so that a new one can take over from an old one. Errors: kInvalidParameter that names the entry by its
  /// number or its file, never by its value. Blocks on the file system.
  static base::Result<UrlSigner> make(const std::vector<std::string>& entries);

  bool has_keys() const { return !keys_.empty(); }

  /// `target`, path and query, with `sig` behind it; as it is without keys. What may not stand in a URL has to be
  /// encoded already. Errors: kInternal.
  base::Result<std::string> sign(std::string_view target) const;

  /// The part of `target` that has been signed with one of the keys; without keys, all but the signature. Errors:
  /// kForbiddenSource, its cause says whether there is none or a wrong one.
  base::Result<std::string_view> verify(std::string_view target) const;

 private:
  std::vector<std::string> keys_;  ///< Their bytes.
};

}  // namespace optimux::service
