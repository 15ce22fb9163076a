#pragma once

#include "apps/optimux/pool/sweep/job_body.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <optional>

namespace optimux::apps {

/// One measurement of a pool.
struct Trial {
  int workers = 1;         ///< All of them are started before the clock is.
  int batch = 1;           ///< Jobs that a worker takes at a time.
  std::uint64_t jobs = 1;  ///< To run; rounded up to whole batches for every worker.
  double limit = 10;       ///< Seconds after which no more jobs are handed over.
};

/// What a trial has shown.
struct TrialResult {
  double rate = 0;           ///< Jobs a second, from the first hand-over to the last end.
  double cpu_busy = 0;       ///< CPU time of this process and its children over the time that `cpus` CPUs have; 0 to 1.
  std::uint64_t failed = 0;  ///< Jobs that failed; they count in `rate` as well.
  std::optional<base::Error> first_error;
};

/// Puts jobs through a real pool with a fixed number of workers, from one submitter. The queue has the places that a
/// pool has by default, but no more than a tenth of the jobs and no fewer than workers. Blocks. Errors: kInternal when
/// the workers cannot be started within ten seconds.
base::Result<TrialResult> run_trial(const JobMaker& make, const Trial& trial, int cpus);

/// One job on the calling thread, without a pool.
struct AloneResult {
  double wall = 0;                   ///< Seconds a job.
  double cpu = 0;                    ///< Seconds of CPU time a job, those of its child process included.
  std::optional<base::Error> error;  ///< Of the first job that failed.
};

/// Runs jobs one after the other for about `seconds`, at least three. Blocks.
AloneResult run_alone(const JobMaker& make, double seconds);

}  // namespace optimux::apps
