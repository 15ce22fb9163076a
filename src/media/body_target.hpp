#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/shared_body.hpp"
#include "media/executor.hpp"
#include "media/phase_scanner.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// Where an encoder writes to: every piece that it finishes is appended to a SharedBody at once, with the ends of the
/// phases that lie in it. Writing fails when the operation has to stop or the body has failed, which makes the encoder
/// give up.
class BodyTarget {
 public:
  /// `body`, which is to have phases, and `control` must outlive the target.
  BodyTarget(base::SharedBody& body, Format format, const OperationControl& control);

  VipsTarget* get() const { return VIPS_TARGET(target_.get()); }

  /// Why the encoder had to give up: the body's own error, kCancelled or kDeadlineExceeded; success when there is no
  /// such reason.
  base::Status check() const;

 private:
  static gint64 write(VipsTargetCustom* target, const void* data, gint64 length, BodyTarget* self);
  void append(std::span<const std::byte> bytes);
  /// Tells the body which phases end in `bytes`, which are to be appended next: before, so that no reader sees a byte
  /// without its phase.
  void mark_phases(std::span<const std::byte> bytes);

  base::SharedBody& body_;
  const OperationControl& control_;
  PhaseScanner scanner_;
  bool is_scanned_ = false;  ///< Nothing more is to be found.
  std::unique_ptr<VipsTargetCustom, ObjectUnref> target_;
};

}  // namespace optimux::media
