#include "media/body_target.hpp"

#include <span>

#include "media/interrupt.hpp"

namespace optimux::media {

BodyTarget::BodyTarget(base::SharedBody& body, const OperationControl& control)
    : body_(body), control_(control), target_(vips_target_custom_new()) {
  g_signal_connect(target_.get(), "write", G_CALLBACK(&BodyTarget::write), this);
}

base::Status BodyTarget::check() const {
  if (body_.state() == base::SharedBody::State::kFailed) {
    return base::fail(body_.error().value_or(base::Error{base::ErrorCode::kCancelled, "", "the body has failed"}));
  }
  return check_interrupt(control_);
}

gint64 BodyTarget::write(VipsTargetCustom* /*target*/, const void* data, gint64 length, BodyTarget* self) {
  if (!self->check()) return -1;
  self->body_.append({static_cast<const std::byte*>(data), static_cast<std::size_t>(length)});
  return length;
}

}  // namespace optimux::media
