#pragma once

#include "apps/optimux/pool/sweep/job_body.hpp"

namespace optimux::apps {

/// Runs a program without a shell, with standard input, output and error at /dev/null, and waits for its end. After the
/// timeout it is killed; its own children are not. It is always reaped. kInternal when it cannot be started, ends by a
/// signal or with another code than 0; kOriginTimeout when it was killed.
JobRun run_program(const ExecJob& job, const JobRules& rules);

}  // namespace optimux::apps
