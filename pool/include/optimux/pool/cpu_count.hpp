/// \file
/// How many CPUs this process may use, inside and outside of containers.
#pragma once

#include <optional>
#include <string>

namespace optimux::pool {

/// A number of CPUs and where it comes from.
struct CpuCount {
  int cpus = 1;                 ///< Usable CPUs: the smaller of the two below, rounded up, at least 1.
  int affinity = 1;             ///< CPUs that the process may be scheduled on.
  std::optional<double> quota;  ///< CPU time a second allowed by the control groups; empty without a limit.
  std::string source;           ///< What decided: "affinity", or the file that holds the smallest quota.
};

/// Counts anew: asks for the scheduling affinity (which reflects cpusets), then reads the quota of this process's
/// control group and of all its ancestors, version 1 and 2. `root` is put before every path that is read, for tests.
/// What cannot be read does not limit. Takes some file reads; any thread.
[[nodiscard]] CpuCount count_cpus(const std::string& root = "");

/// The CPU time that control groups allow.
struct CpuQuota {
  /// Quota over period; empty without a quota.
  std::optional<double> cpus;
  /// Where it was read.
  std::string file;
};
/// The quota part of `count_cpus` alone: the smallest quota below `root` and the file it stands in.
[[nodiscard]] CpuQuota read_cpu_quota(const std::string& root);

/// Combines an affinity count and a quota.
[[nodiscard]] CpuCount combine(int affinity, const CpuQuota& quota);

}  // namespace optimux::pool
