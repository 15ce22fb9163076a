#pragma once

#include <cstdint>
#include <string>

namespace optimux::media::video {

/// How a child process reads a video: from a descriptor that it inherits, or from a loopback bridge that only it can
/// use. What stands here belongs to somebody else and must stay open until the child has ended.
struct VideoInput {
  int descriptor = -1;      ///< Of a seekable file, opened for reading; -1: there is none, and the two below are set.
  std::string url;          ///< What the child is told to open, as in `http://input/media`. It holds no secret.
  std::string environment;  ///< `http_proxy=…`, the child's whole environment: the bridge, and the secret of this job.
  std::uint64_t size = 0;   ///< Bytes of the whole file.
};

}  // namespace optimux::media::video
