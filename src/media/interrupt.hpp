#pragma once

#include "base/result.hpp"
#include "media/executor.hpp"

namespace optimux::media {

/// Success while an operation may go on, else why it has to stop: kCancelled or kDeadlineExceeded. Costs a clock read.
base::Status check_interrupt(const OperationControl& control);

}  // namespace optimux::media
