#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/byte_buffer.hpp"
#include "base/deadline.hpp"
#include "base/result.hpp"
#include "base/shared_body.hpp"
#include "media/image_info.hpp"
#include "media/media_limits.hpp"
#include "media/render_spec.hpp"

namespace optimux::media {

/// Bytes of a whole source file, shared between the renditions made from it; never changed once made.
using SourceBuffer = std::shared_ptr<const base::ByteBuffer>;

/// Where the time of one render went.
struct RenderReport {
  Format format = Format::kJpeg;        ///< That was encoded.
  std::chrono::microseconds decode{0};  ///< Header, decoding, resizing, colour: up to finished pixels in memory.
  std::chrono::microseconds encode{0};  ///< Encoding of all sizes so far.
};

/// What an operation is told, and what it tells, while it runs.
struct OperationControl {
  /// A running operation stops within 100 ms of this or of the deadline, and then reports kCancelled or
  /// kDeadlineExceeded.
  std::stop_token stop;
  base::Deadline deadline;
  /// Called in the rendering thread when all pixels are there, before the first output starts, and again before each
  /// output completes: whoever sees the head or the end of an output can be told where the time went. May be empty.
  std::function<void(const RenderReport&)> on_progress;
};

/// The media layer as seen by everybody else. In-process today; a sandboxed child process can stand behind the same
/// interface, so callers assume nothing of libvips.
///
/// All functions block for as long as the CPU work takes and are meant for a pool's worker thread; any number of
/// threads may call at once, each uses one CPU.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Reads the header only, so that a file may turn out to be cut off when it is rendered. Errors: kUnsupportedMedia
  /// (by the bytes), kBrokenMedia, kLimitExceeded; kCancelled or kDeadlineExceeded when nothing is left to be done for.
  virtual base::Result<ImageInfo> inspect(const SourceBuffer& source, const OperationControl& control) = 0;

  /// As `inspect`, with the BlurHash, which needs a decode.
  virtual base::Result<ImageInfo> inspect_with_blur_hash(const SourceBuffer& source,
                                                         const OperationControl& control) = 0;

  /// Upper estimate of the memory in bytes that `render` will take beside the source, from the header and the spec.
  virtual std::uint64_t estimate_memory(const ImageInfo& info, const RenderSpec& spec) const = 0;

  /// Renders `spec.sizes[i]` into `outputs[i]` for all i (same length), from one decode. Each output is started when
  /// its format and size are certain and all of its pixels have been decoded without error, appended to while it is
  /// being encoded, and completed; outputs are finished in order. On an error every output not yet complete is failed
  /// with it, and it is returned too. Nothing is started when the source is broken or over a limit.
  virtual base::Result<RenderReport> render(const SourceBuffer& source, const RenderSpec& spec,
                                            std::span<const std::shared_ptr<base::SharedBody>> outputs,
                                            const OperationControl& control) = 0;
};

/// Prepares libvips for this process: concurrency 1, operation cache off, untrusted loaders blocked. Called once,
/// before any executor is made and before threads are started. kInternal when libvips cannot start.
base::Status initialise_media(const char* program_name);

/// Gives back what libvips keeps for the calling thread (pixel buffers, profiling gates). Called by every thread that
/// has called an executor, as the last thing before it ends; without it each ended thread leaks a few kilobytes. Cheap
/// and harmless in a thread that has not.
void release_thread_resources();

/// The executor that runs libvips in this process. Thread-safe.
std::unique_ptr<Executor> make_in_process_executor(const MediaLimits& limits);

}  // namespace optimux::media
