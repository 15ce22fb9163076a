#include "advisor/job_class.hpp"

#include <algorithm>

namespace optimux::pool::advisor {

std::string_view to_string(JobClass job_class) {
  switch (job_class) {
    case JobClass::kCpu: return "CPU";
    case JobClass::kIo: return "I/O";
    case JobClass::kMixed: return "mixed";
  }
  return "";
}

double cpu_share(const JobProfile& job) {
  return job.wall > 0 ? std::clamp(job.cpu / job.wall, 0.0, 1.0) : 0;
}

JobClass classify(const JobProfile& job) {
  const double share = cpu_share(job);
  if (share >= 0.8) return JobClass::kCpu;
  return share <= 0.2 ? JobClass::kIo : JobClass::kMixed;
}

double roof_of(const JobProfile& job, int workers, int cpus) {
  const double by_workers = workers / job.wall;
  return job.cpu > 0 ? std::min(by_workers, cpus / job.cpu) : by_workers;
}

}  // namespace optimux::pool::advisor
