/// \file
/// The CPU time of the jobs of one thread.
#pragma once

#include "optimux/pool/clock.hpp"

#include <cstdint>

namespace optimux::pool::detail {

/// Reads the CPU clock of the calling thread between jobs, at most every 100 us of run time: the reading is a system
/// call and costs as much as a hand-off. Short jobs share a reading.
class ThreadCpuTime {
 public:
  /// What the thread did until now does not count.
  void start(TimePoint now);
  /// A job of this thread has ended at `now`. Fills `cpu` and `jobs` if a reading was due: the CPU time since the last
  /// one and the number of jobs in it. Leaves both alone otherwise.
  void job_ended(TimePoint now, Duration& cpu, std::uint32_t& jobs);

 private:
  std::uint32_t jobs_ = 0;
  TimePoint read_at_{};
  Duration last_{};
};

}  // namespace optimux::pool::detail
