#include "media/interrupt.hpp"

namespace optimux::media {

base::Status check_interrupt(const OperationControl& control) {
  if (control.stop.stop_requested()) return base::fail(base::ErrorCode::kCancelled, "nobody waits for the result");
  if (control.deadline.has_passed())
    return base::fail(base::ErrorCode::kDeadlineExceeded, "the request ran out of time");
  return {};
}

}  // namespace optimux::media
