#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace optimux::source {

/// A part of a source: `count` bytes from `first` on, or fewer where the source ends.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;  ///< At least 1.

  /// The value of the `Range` field that asks for it (RFC 9110, section 14.2).
  std::string field() const;
  bool operator==(const ByteRange&) const = default;
};

/// What a `Content-Range` field says (RFC 9110, section 14.4).
struct ContentRange {
  std::optional<ByteRange> part;  ///< Which bytes came; nothing if none could (`bytes */1234`).
  std::uint64_t total = 0;        ///< Bytes of the whole.
  bool operator==(const ContentRange&) const = default;
};

/// Reads the field's value. Nothing for other units than bytes, an unknown total, and what contradicts itself.
std::optional<ContentRange> parse_content_range(std::string_view value);

}  // namespace optimux::source
