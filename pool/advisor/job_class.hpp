/// \file
/// What a job spends its time on.
#pragma once

#include "advisor/curve.hpp"

#include <cstdint>
#include <string_view>

namespace optimux::pool::advisor {

/// What limits a job that runs alone.
enum class JobClass : std::uint8_t {
  kCpu,    ///< It computes: CPU time is at least 80 % of wall time.
  kIo,     ///< It waits: CPU time is at most 20 % of wall time.
  kMixed,  ///< Both.
};

/// "CPU", "I/O" or "mixed".
[[nodiscard]] std::string_view to_string(JobClass job_class);

/// CPU time over wall time; 0 to 1.
[[nodiscard]] double cpu_share(const JobProfile& job);

/// Classifies a job by `cpu_share`. It must have been measured alone: on a machine that is oversubscribed a computing
/// job waits too, for its CPU. Pure.
[[nodiscard]] JobClass classify(const JobProfile& job);

/// Jobs a second that `workers` could do at most on `cpus`, were the hand-over free and nothing else in the way: each
/// worker one job per wall time, each CPU one job per CPU time. Pure.
[[nodiscard]] double roof_of(const JobProfile& job, int workers, int cpus);

}  // namespace optimux::pool::advisor
