#include "media/body_target.hpp"

#include <span>

#include "media/interrupt.hpp"

namespace optimux::media {

BodyTarget::BodyTarget(base::SharedBody& body, Format format, const OperationControl& control)
    : body_(body), control_(control), scanner_(format), target_(vips_target_custom_new()) {
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
  self->append({static_cast<const std::byte*>(data), static_cast<std::size_t>(length)});
  return length;
}

void BodyTarget::append(std::span<const std::byte> bytes) {
  if (!is_scanned_) mark_phases(bytes);
  body_.append(bytes);
}

// What the scanner does not understand must not stay in an early phase for good: behind it all is the rest.
void BodyTarget::mark_phases(std::span<const std::byte> bytes) {
  for (const PhaseEnd& end : scanner_.feed(bytes)) body_.end_phase(end.phase, end.offset);
  is_scanned_ = scanner_.is_done();
  const auto& ends = scanner_.findings().ends;
  const bool is_understood = !ends.empty() && ends.back().phase == base::Phase::kGood;
  if (is_scanned_ && !is_understood) body_.end_phase(base::Phase::kGood, body_.size() + bytes.size());
}

}  // namespace optimux::media
