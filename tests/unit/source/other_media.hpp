#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace optimux::source {

/// A question for `FetchRequest::is_other`: what begins with `video` is one.
inline bool begins_as_video(std::span<const std::byte> first_bytes) {
  constexpr std::string_view kVideo = "video";
  return first_bytes.size() >= kVideo.size() && std::equal(kVideo.begin(), kVideo.end(), first_bytes.begin(),
                                                           [](char c, std::byte byte) { return std::byte(c) == byte; });
}

/// A video of `size` bytes, at least 5.
inline std::string video_of(std::size_t size) {
  return "video" + std::string(size - 5, 'v');
}

}  // namespace optimux::source
