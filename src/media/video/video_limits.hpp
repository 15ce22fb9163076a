#pragma once

#include <chrono>
#include <cstdint>

namespace optimux::media::video {

/// What a video may be, and what its making may cost. Exceeding one is kLimitExceeded with a detail that names the
/// field and the limit. Every field is a configuration key of the same name.
struct VideoLimits {
  std::int64_t max_video_pixels = 36'000'000;                ///< Pixels of one frame of the source: 8K and a little.
  std::chrono::milliseconds max_video_duration{14'400'000};  ///< Of the source; 4 hours.
  int max_video_streams = 32;                                ///< Of the source.
  std::uint64_t max_video_output = 256ull << 20;             ///< Bytes of one rendition.
  std::uint64_t max_video_memory = 2048ull << 20;            ///< Address space of one child process, in bytes.
  std::chrono::milliseconds max_video_cpu_time{600'000};     ///< CPU time of one child process.
  int video_threads = 0;                                     ///< Of one transcode; 0: the CPUs that may be used.
  int video_niceness = 15;                                   ///< Of child processes, added to that of the server.
};

}  // namespace optimux::media::video
