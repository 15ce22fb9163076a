#include "optimux/pool/detail/thread_cpu_time.hpp"

#include <ctime>

namespace optimux::pool::detail {
namespace {

constexpr Duration kReadInterval = std::chrono::microseconds(100);

Duration read_thread_clock() {
  timespec time{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return Duration::zero();
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

void ThreadCpuTime::start(TimePoint now) {
  read_at_ = now;
  last_ = read_thread_clock();
}

void ThreadCpuTime::job_ended(TimePoint now, Duration& cpu, std::uint32_t& jobs) {
  ++jobs_;
  if (now - read_at_ < kReadInterval) return;
  const Duration reading = read_thread_clock();
  cpu = reading - last_;
  jobs = jobs_;
  jobs_ = 0;
  read_at_ = now;
  last_ = reading;
}

}  // namespace optimux::pool::detail
