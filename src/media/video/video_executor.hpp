#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/shared_body.hpp"
#include "media/executor.hpp"
#include "media/video/video_info.hpp"
#include "media/video/video_input.hpp"
#include "media/video/video_spec.hpp"

namespace optimux::media::video {

/// Videos as seen by everybody else. What stands behind it is ffmpeg in child processes; callers assume nothing of it.
///
/// All functions block for as long as the work takes and are meant for a pool's worker thread; any number of threads
/// may call at once. They end within a second of the control's stop or deadline, with kCancelled or kDeadlineExceeded,
/// and no child outlives them. Errors beside these: kUnsupportedMedia (by the bytes), kBrokenMedia, kLimitExceeded,
/// kInvalidParameter (a time beyond the end, an action's value), kInternal.
class VideoExecutor {
 public:
  VideoExecutor() = default;
  VideoExecutor(const VideoExecutor&) = delete;
  VideoExecutor& operator=(const VideoExecutor&) = delete;
  virtual ~VideoExecutor() = default;

  /// What the video is, from its headers.
  virtual base::Result<VideoInfo> probe(const VideoInput& input, const OperationControl& control) = 0;

  /// One picture of the video as an uncompressed PNG, upright, with square pixels and in the colours of a screen.
  virtual base::Result<SourceBuffer> still(const VideoInput& input, const VideoInfo& info, const Still& which,
                                           const OperationControl& control) = 0;

  /// Makes what `spec` asks for into `output`, which is started with the first bytes, appended to while they are made,
  /// and completed; on an error it is failed with it, and it is returned too. `control.on_progress` is called before
  /// the start and before the end.
  virtual base::Result<RenderReport> render(const VideoInput& input, const VideoInfo& info, const VideoSpec& spec,
                                            base::SharedBody& output, const OperationControl& control) = 0;
};

}  // namespace optimux::media::video
