#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH3_state_s;  // Of xxHash, which is this room's own affair.

namespace optimux::base {

/// 128-bit fingerprint of `bytes` as 32 lower-case hexadecimal digits. It tells different contents apart for caches and
/// ETags; it is no protection against somebody who makes two contents collide on purpose. XXH3 (xxHash 0.8): one pass
/// at memory speed, because a source of several megabytes is fingerprinted for every rendition.
std::string fingerprint(std::string_view bytes);

/// The fingerprint of bytes that come in pieces: that of all of them in one. Not thread-safe.
class Fingerprinter {
 public:
  /// Of no bytes yet. Throws std::bad_alloc where memory is used up.
  Fingerprinter();

  void add(std::span<const std::byte> bytes);
  void add(std::string_view bytes) { add(std::as_bytes(std::span(bytes))); }
  /// Of all that was added so far, as `fingerprint` writes it.
  std::string text() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace optimux::base
