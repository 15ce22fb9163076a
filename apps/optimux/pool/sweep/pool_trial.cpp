#include "apps/optimux/pool/sweep/pool_trial.hpp"

#include "base/mutex.hpp"
#include "optimux/pool/pool.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace optimux::apps {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double all_cpu_seconds() {
  return cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN);
}

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Seconds that the calling thread has been ready to run without a CPU (Documentation/scheduler/sched-stats.rst); 0
/// where the kernel does not count them.
double run_queue_seconds() {
  std::ifstream file("/proc/thread-self/schedstat");
  std::uint64_t running = 0, waiting = 0;
  return file >> running >> waiting ? static_cast<double>(waiting) * 1e-9 : 0;
}

/// Where the workers meet before the clock starts: each takes one job that ends when all have come.
class StartLine {
 public:
  explicit StartLine(int expected) : missing_(expected) {}

  void arrive() OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    if (--missing_ == 0) changed_.notify_all();
    while (missing_ > 0 && !is_given_up_) changed_.wait(mutex_);
  }

  /// How many had not come by `deadline`; lets the others go.
  int wait(Clock::time_point deadline) OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (missing_ > 0 && changed_.wait_until(mutex_, deadline)) {
    }
    is_given_up_ = true;
    changed_.notify_all();
    return missing_;
  }

 private:
  base::Mutex mutex_;
  base::ConditionVariable changed_;
  int missing_ OPTIMUX_GUARDED_BY(mutex_);
  bool is_given_up_ OPTIMUX_GUARDED_BY(mutex_) = false;
};

/// What failed, from all workers.
class Failures {
 public:
  void add(const base::Error& error) OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    ++count_;
    if (!first_) first_ = error;
  }
  std::uint64_t count() const OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    return count_;
  }
  std::optional<base::Error> first() const OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    return first_;
  }

 private:
  mutable base::Mutex mutex_;
  std::uint64_t count_ OPTIMUX_GUARDED_BY(mutex_) = 0;
  std::optional<base::Error> first_ OPTIMUX_GUARDED_BY(mutex_);
};

/// What goes through the queue: so many jobs, or the call to the start line.
struct Ticket {
  int jobs = 0;  ///< 0 for the start line.
};

using Pool = pool::DynamicScaler<Ticket>;

pool::WorkerFactory<Ticket> workers(const JobMaker& make, StartLine& start, Failures& failures) {
  return pool::stateful_worker<Ticket>([make](pool::WorkerIndex) { return make(); },
                                       [&](Ticket& ticket, const pool::JobContext&, JobBody& body) {
                                         if (ticket.jobs == 0) start.arrive();
                                         for (int i = 0; i < ticket.jobs; ++i) {
                                           const JobRun run = body();
                                           if (!run.status) failures.add(run.status.error());
                                         }
                                       });
}

std::uint64_t tickets_of(const Trial& trial) {
  const auto batch = static_cast<std::uint64_t>(trial.batch);
  const auto workers = static_cast<std::uint64_t>(trial.workers);
  const std::uint64_t tickets = (trial.jobs + batch - 1) / batch;
  return std::max<std::uint64_t>(1, (tickets + workers - 1) / workers) * workers;
}

/// The queue is as long as users have it, so that workers find a job while the submitter is being woken; but it holds
/// no more than a tenth of the trial, or a dependency that turns out to be slow would be waited for at the end.
pool::Config config_for(const Trial& trial) {
  pool::Config config;
  config.name = "sweep";
  config.min_workers = trial.workers;
  config.max_workers = trial.workers;
  config.queue_capacity = std::max(static_cast<std::size_t>(trial.workers),
                                   std::min<std::size_t>(config.queue_capacity, tickets_of(trial) / 10));
  config.policy = std::make_shared<pool::FixedPolicy>(trial.workers);
  return config;
}

/// Hands over `tickets` of them; how many were taken before the time was over.
std::uint64_t submit_all(Pool& pool, const Trial& trial, std::uint64_t tickets) {
  const Clock::time_point last = Clock::now() + pool::from_seconds(trial.limit);
  for (std::uint64_t i = 0; i < tickets; ++i) {
    if (pool.submit(Ticket{trial.batch}, {}, last) != pool::Answer::kAccepted) return i;
  }
  return tickets;
}

TrialResult measure(Pool& pool, const Trial& trial, const Failures& failures, int cpus) {
  const double cpu_before = all_cpu_seconds();
  const Clock::time_point start = Clock::now();
  const std::uint64_t tickets = submit_all(pool, trial, tickets_of(trial));
  pool.drain();
  const double elapsed = seconds_since(start);
  TrialResult result;
  result.rate = static_cast<double>(tickets) * trial.batch / elapsed;
  result.cpu_busy = std::min(1.0, (all_cpu_seconds() - cpu_before) / (elapsed * cpus));
  result.failed = failures.count();
  result.first_error = failures.first();
  return result;
}

}  // namespace

base::Result<TrialResult> run_trial(const JobMaker& make, const Trial& trial, int cpus) {
  StartLine start(trial.workers);
  Failures failures;
  auto made = Pool::make(config_for(trial), workers(make, start, failures));
  if (!made) return base::fail(base::ErrorCode::kInternal, made.error().field + " " + made.error().message);
  const auto pool = *std::move(made);
  const Clock::time_point patience = Clock::now() + std::chrono::seconds(10);
  for (int i = 0; i < trial.workers; ++i) pool->submit(Ticket{}, {}, patience);
  const int missing = start.wait(patience);
  if (missing > 0) {
    return base::fail(base::ErrorCode::kInternal, "only " + std::to_string(trial.workers - missing) + " of " +
                                                      std::to_string(trial.workers) + " workers could be started");
  }
  return measure(*pool, trial, failures, cpus);
}

AloneResult run_alone(const JobMaker& make, double seconds) {
  const JobBody body = make();
  AloneResult result;
  body();  // The first one pays for caches and connections.
  const double cpu_before = thread_cpu_seconds();
  const double queued_before = run_queue_seconds();
  const Clock::time_point start = Clock::now();
  double child_cpu = 0;
  int jobs = 0;
  while (jobs < 3 || seconds_since(start) < seconds) {
    const JobRun run = body();
    if (!run.status && !result.error) result.error = run.status.error();
    child_cpu += run.child_cpu;
    ++jobs;
  }
  const double elapsed = seconds_since(start);
  const double cpu = thread_cpu_seconds() - cpu_before;
  // A job that waits for a CPU because others use it is not one that waits for something of its own.
  result.wall = std::max(elapsed - (run_queue_seconds() - queued_before), cpu) / jobs;
  result.cpu = (cpu + child_cpu) / jobs;
  return result;
}

}  // namespace optimux::apps
