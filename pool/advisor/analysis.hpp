/// \file
/// All that a sweep says: the verdict on the curve, second opinions, and what stands in the way of more throughput.
#pragma once

#include "advisor/curve.hpp"
#include "advisor/job_class.hpp"
#include "advisor/kneedle.hpp"
#include "advisor/plateau.hpp"
#include "advisor/scalability.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace optimux::pool::advisor {

/// What keeps a larger pool from doing more.
enum class Bottleneck : std::uint8_t {
  kNone,        ///< Nothing within the sizes that were measured.
  kUnknown,     ///< The figures are too noisy to tell.
  kHandOff,     ///< Handing the jobs over: they are too short for it. Batches help, workers do not.
  kCpu,         ///< The CPUs are used up.
  kDependency,  ///< What the jobs wait for takes no more at once, while CPUs are idle.
};

/// "none", "unknown", "hand-off", "CPU" or "dependency".
[[nodiscard]] std::string_view to_string(Bottleneck bottleneck);

/// What handing a job over costs, as the batches show.
struct HandOffCost {
  double share = 0;        ///< Of a job's time in the pool; 0 to 1.
  double seconds = 0;      ///< Of a CPU's time, a job.
  double gain = 1;         ///< Throughput with batches of `measured_batch` over that without.
  int measured_batch = 1;  ///< Jobs in a batch when it was measured.
  int advised_batch = 1;   ///< Jobs in a batch that bring the share down to about 2 %; 1 when none are needed.
};

/// The outcome of a sweep.
struct Analysis {
  Plateau plateau;
  JobClass job_class = JobClass::kCpu;
  double cpu_share = 0;   ///< CPU time over wall time of a job alone.
  double efficiency = 0;  ///< Throughput at the advised size over what workers and CPUs could do (`roof_of`).
  Bottleneck bottleneck = Bottleneck::kUnknown;
  std::optional<HandOffCost> hand_off;  ///< Empty when no batches were measured: the jobs are long.
  std::optional<Knee> knee;
  Scalability law;
  int workers = 1;              ///< What to set: the plateau's size; the CPUs for computing jobs bound by the hand-off.
  bool is_answered = false;     ///< `workers` can be recommended, whatever the curve alone says.
  bool opinions_agree = false;  ///< Kneedle finds its knee within a factor of two of the plateau.
};

/// Analyses a sweep; `measurements` as `validate` wants them. Pure.
[[nodiscard]] Analysis analyse(const Measurements& measurements);

}  // namespace optimux::pool::advisor
