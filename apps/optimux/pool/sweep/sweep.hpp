#pragma once

#include "advisor/curve.hpp"
#include "apps/optimux/pool/sweep/pool_trial.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace optimux::apps {

/// How a sweep goes about it.
struct SweepPlan {
  std::vector<int> sizes;  ///< Pool sizes; empty for a choice that suits the job.
  int rounds = 5;          ///< Measurements of each size; at least 3.
  double seconds = 0.2;    ///< How long one measurement takes, about.
  int cpus = 1;            ///< Usable CPUs.
};

/// What a sweep has brought.
struct SweepResult {
  pool::advisor::Measurements measurements;
  std::uint64_t failed_jobs = 0;
  std::optional<base::Error> first_error;  ///< Of the jobs that failed.
};

/// The pool and the thread that a sweep measures: the real ones, or a test's.
struct SweepBench {
  std::function<AloneResult()> run_alone;
  std::function<base::Result<TrialResult>(const Trial&)> run_trial;
};

/// Told before each measurement: the round from 1, and the size.
using SweepProgress = std::function<void(int round, int workers)>;

/// The sizes that are measured for a job when the user names none: CPU jobs around the number of CPUs, others up to
/// 100. Ascending.
std::vector<int> default_sizes(const pool::advisor::JobProfile& job, int cpus);

/// Reads "1,2,5". Errors: kInvalidParameter, naming the part that is no pool size: a whole number from 1 to 20,000.
base::Result<std::vector<int>> parse_sizes(std::string_view text);

/// Measures all sizes once a round, so that whatever else goes on in the machine meets all of them; every second round
/// in reverse, so that a drift does too. Each round also measures the job alone and, for jobs of under half a
/// millisecond, in batches of a millisecond of work at one worker per CPU. Blocks. Errors: kInvalidParameter for the
/// plan, the error of the job when even the first one fails, and those of the bench.
base::Result<SweepResult> run_sweep(const SweepPlan& plan, const SweepBench& bench, const SweepProgress& progress);

}  // namespace optimux::apps
