#include "simulator/replay.hpp"

#include "optimux/pool/dynamic_scaler.hpp"

#include <time.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace optimux::pool::simulator {
namespace {

using JobNumber = std::size_t;

Duration cpu_time_of_this_thread() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
}

// Computes until so much CPU time has been spent, however often the thread is put aside meanwhile.
void burn(Duration cpu) {
  constexpr int kRounds = 2000;  // about a microsecond between two looks at the clock
  const Duration until = cpu_time_of_this_thread() + cpu;
  volatile unsigned sink = 1;
  while (cpu_time_of_this_thread() < until) {
    for (int i = 0; i < kRounds; ++i) sink = sink * 1664525U + 1013904223U;
  }
}

/// Notes how many workers there are. Called by the thread that controls the pool.
class WorkerLog final : public Observer {
 public:
  explicit WorkerLog(TimePoint start) : start_(start) {}

  void on_worker_started(WorkerIndex /*worker*/) override { note(0, 1); }
  void on_worker_exited(WorkerIndex /*worker*/, const WorkerExit& /*exit*/) override { note(0, -1); }
  void on_decision(const Decision& decision) override { note(decision.target - decision.input.live, 0); }

  /// What has been noted; the number at the beginning first.
  std::vector<WorkerChange> take() {
    const MutexLock lock(mutex_);
    return std::move(changes_);
  }

 private:
  void note(int live, int total) {
    const MutexLock lock(mutex_);
    now_.at = Clock::steady()->now() - start_;
    now_.live += live;
    now_.total += total;
    changes_.push_back(now_);
  }

  const TimePoint start_;
  Mutex mutex_;
  WorkerChange now_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  std::vector<WorkerChange> changes_ OPTIMUX_POOL_GUARDED_BY(mutex_);
};

class Replay {
 public:
  Replay(const Trace& trace, const Scenario& scenario)
      : trace_(trace),
        interval_(scenario.sample_interval),
        start_(Clock::steady()->now()),
        log_(std::make_shared<WorkerLog>(start_)),
        records_(trace.jobs.size()) {}

  Made<Recording> run(Config config, const std::function<void(Duration)>& progress) {
    config.observer = log_;
    auto made = DynamicScaler<JobNumber>::make(std::move(config), workers());
    if (!made) return made.error();
    std::unique_ptr<DynamicScaler<JobNumber>> pool = *std::move(made);
    for (JobNumber job = 0; job < trace_.jobs.size(); ++job) {
      wait_until(*pool, start_ + trace_.jobs[job].at, progress);
      submit(*pool, job);
    }
    wait_until(*pool, start_ + trace_.length, progress);
    while (pool->drain(next_sample_) > 0) sample(*pool);
    recording_.end = Clock::steady()->now() - start_;
    recording_.workers = merged(log_->take());
    pool.reset();
    recording_.jobs = std::move(records_);
    return std::move(recording_);
  }

 private:
  WorkerFactory<JobNumber> workers() {
    return handler_worker<JobNumber>([this](JobNumber& job, const JobContext& /*context*/) {
      if (trace_.jobs[job].wait > Duration::zero()) std::this_thread::sleep_for(trace_.jobs[job].wait);
      burn(trace_.jobs[job].cpu);
    });
  }

  // The trace's own times are what is waited for: nothing else would end the wait.
  void wait_until(const DynamicScaler<JobNumber>& pool, TimePoint until,
                  const std::function<void(Duration)>& progress) {
    for (; next_sample_ < until; sample(pool)) {
      std::this_thread::sleep_until(next_sample_);
      if (progress) progress(next_sample_ - start_);
    }
    std::this_thread::sleep_until(until);
  }

  // Each job has its own record, so that callbacks on several workers do not meet.
  void submit(DynamicScaler<JobNumber>& pool, JobNumber job) {
    JobRecord& record = records_[job];
    record.arrived = Clock::steady()->now() - start_;
    record.alone = trace_.jobs[job].wait + trace_.jobs[job].cpu;
    JobOptions options;
    options.on_end = [&record](const JobEnd& end) {
      record.started = record.arrived + end.waited;
      record.ended = record.started + end.ran;
    };
    record.is_refused = pool.try_submit(JobNumber(job), std::move(options)) != Answer::kAccepted;
  }

  void sample(const DynamicScaler<JobNumber>& pool) {
    const Snapshot now = pool.snapshot();
    recording_.samples.push_back({now.at - start_, now.total, now.live, now.in_flight, now.queue_depth});
    next_sample_ += interval_;
  }

  // The floor is there from the beginning on.
  static std::vector<WorkerChange> merged(std::vector<WorkerChange> changes) {
    const auto later = std::find_if(changes.begin(), changes.end(), [](const WorkerChange& c) { return c.live > 0; });
    if (later == changes.end()) return changes;
    later->at = {};
    changes.erase(changes.begin(), later);
    return changes;
  }

  const Trace& trace_;
  const Duration interval_;
  const TimePoint start_;
  TimePoint next_sample_ = start_;
  const std::shared_ptr<WorkerLog> log_;
  std::vector<JobRecord> records_;
  Recording recording_;
};

}  // namespace

Made<Recording> replay(const Trace& trace, const Scenario& scenario,
                       const std::function<void(Duration passed)>& progress) {
  if (auto error = check_scenario(scenario)) return *std::move(error);
  return Replay(trace, scenario).run(config_of(scenario), progress);
}

}  // namespace optimux::pool::simulator
