/// \file
/// How the operating system treats the thread of a worker.
#pragma once

namespace optimux::pool::detail {

/// Makes the calling thread one that does not preempt others when it wakes up (`Config::gives_way_to_submitters`).
/// False, and nothing is done, where that is not possible or somebody has chosen a policy for the thread.
[[nodiscard]] bool give_way_to_others() noexcept;
/// Ends that, where it was true.
void compete_with_others() noexcept;

}  // namespace optimux::pool::detail
