/// \file
/// How the operating system treats the thread of a worker.
#pragma once

namespace optimux::pool::detail {

/// Makes the calling thread one that does not preempt others when it wakes up (`Config::gives_way_to_submitters`). Does
/// nothing where that is not possible.
void give_way_to_others() noexcept;

}  // namespace optimux::pool::detail
