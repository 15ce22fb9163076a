#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/headers.hpp"

namespace optimux::http {

/// Bytes of a representation, both ends included.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first + 1; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// What a GET asks for of a representation whose size is known.
struct RangeSelection {
  enum class Verdict {
    kWhole,          ///< No range was asked for, or none that has to be followed: 200.
    kPart,           ///< 206 with `part`.
    kUnsatisfiable,  ///< 416: no byte of the range exists.
  };
  Verdict verdict = Verdict::kWhole;
  ByteRange part;  ///< Below the size; for kPart alone.
};

/// Reads `Range` and `If-Range` of a GET (RFC 9110, sections 13.1.5 and 14.2) for a representation of `size` bytes with
/// the strong tag `etag`, which is empty when not known.
///
/// One range of bytes is followed. Several are not, and give the whole: a few bytes of request could ask for any
/// number of pieces, and no player or download manager needs them. Other units, and what cannot be read, are ignored.
/// `If-Range` has to be the tag itself; a date, which is the source's and not that of the bytes made from it, gives the
/// whole.
RangeSelection select_range(const Headers& request, std::string_view etag, std::uint64_t size);

/// The value of `Content-Range` for a part of `size` bytes: `bytes 0-99/1234`.
std::string content_range(const ByteRange& part, std::uint64_t size);

/// The value of `Content-Range` for an answer 416: `bytes */1234`.
std::string unsatisfied_range(std::uint64_t size);

}  // namespace optimux::http
