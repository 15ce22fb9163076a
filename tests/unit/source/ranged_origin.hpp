#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "source/content_range.hpp"
#include "unit/source/origin_stub.hpp"

namespace optimux::source {

/// What an origin serves that knows ranges: bytes that are made or read when they are asked for.
struct RangedContent {
  std::uint64_t size = 0;
  std::function<std::string(ByteRange)> read;

  static RangedContent of(std::string bytes);
  /// Those of a file, read with each request.
  static RangedContent of_file(const std::string& path);
};

/// The range that a request asks for, as far as `size` goes; nothing if it asks for none.
std::optional<ByteRange> asked_range(std::string_view request, std::uint64_t size);

/// A handler that answers ranges with 206 and everything else with 200. `headers` are whole lines. `sent`, which may be
/// null, counts the bytes of bodies.
OriginStub::Handler serve_ranges(RangedContent content, std::string headers = "ETag: \"state\"\r\n",
                                 std::atomic<std::uint64_t>* sent = nullptr);

}  // namespace optimux::source
