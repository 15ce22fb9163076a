#pragma once

#include <memory>

#include "base/shared_body.hpp"
#include "media/executor.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// Where an encoder writes to: every piece that it finishes is appended to a SharedBody at once. Writing fails when the
/// operation has to stop or the body has failed, which makes the encoder give up.
class BodyTarget {
 public:
  /// `body` and `control` must outlive the target.
  BodyTarget(base::SharedBody& body, const OperationControl& control);

  VipsTarget* get() const { return VIPS_TARGET(target_.get()); }

  /// Why the encoder had to give up: the body's own error, kCancelled or kDeadlineExceeded; success when there is no
  /// such reason.
  base::Status check() const;

 private:
  static gint64 write(VipsTargetCustom* target, const void* data, gint64 length, BodyTarget* self);

  base::SharedBody& body_;
  const OperationControl& control_;
  std::unique_ptr<VipsTargetCustom, ObjectUnref> target_;
};

}  // namespace optimux::media
