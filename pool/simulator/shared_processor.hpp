/// \file
/// CPUs that are shared evenly.
#pragma once

#include "optimux/pool/clock.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace optimux::pool::simulator {

/// Processor sharing: each of n jobs gets min(1, CPUs / n) of a CPU, as a fair scheduler with short slices does. All of
/// them progress at one pace, so one number tells how far each is: adding and completing take logarithmic time.
class SharedProcessor {
 public:
  /// `cpus` is at least 1; time begins at `now`.
  SharedProcessor(int cpus, TimePoint now) : cpus_(cpus), now_(now) {}

  /// `job` begins `work` of CPU time, at the time last advanced to.
  void add(std::uint64_t job, Duration work);
  /// When the next job will have its work done if none is added; `kNever` without jobs.
  [[nodiscard]] TimePoint next_completion() const;
  /// Moves time forward; not beyond `next_completion`.
  void advance(TimePoint now);
  /// A job whose work is done, in the order of completion; then it is gone. Empty when there is none.
  std::optional<std::uint64_t> take_completed();

 private:
  struct Entry {
    double done_at;  // on the scale of progress_
    std::uint64_t job;
    bool operator>(const Entry& other) const { return std::pair(done_at, job) > std::pair(other.done_at, other.job); }
  };
  [[nodiscard]] double pace() const;

  int cpus_;
  TimePoint now_;
  double progress_ = 0;  // nanoseconds of CPU time that a job would have got since the beginning
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
};

}  // namespace optimux::pool::simulator
