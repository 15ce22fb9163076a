#pragma once

#include "apps/optimux/pool/sweep/job_spec.hpp"
#include "base/result.hpp"

#include <functional>

namespace optimux::apps {

/// What a job may do, and for how long.
struct JobRules {
  double timeout = 10;              ///< Seconds after which a program or a fetch is given up.
  bool may_leave_the_host = false;  ///< Whether a URL may name another machine.
};

/// How one run of a job ended.
struct JobRun {
  base::Status status;   ///< kOriginFailed, kOriginTimeout, kForbiddenSource or kInternal say why it failed.
  double child_cpu = 0;  ///< Seconds of CPU time that were spent in another process.
};

/// Runs the job once, in the calling thread; blocks until it is done.
using JobBody = std::function<JobRun()>;
/// Makes the body for one worker, which alone will call it: bodies keep connections. Any thread.
using JobMaker = std::function<JobBody()>;

/// The maker for `spec`.
JobMaker make_job(const JobSpec& spec, const JobRules& rules);

/// Computes for `rounds`, about a third of a nanosecond each.
void burn(std::uint64_t rounds);

}  // namespace optimux::apps
