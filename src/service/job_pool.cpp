#include "service/job_pool.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <optimux/pool/pool.hpp>

#include "advisor/live_advice.hpp"
#include "media/executor.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using base::fail;
using std::chrono::duration_cast;
using std::chrono::microseconds;

/// What the workers run: the first half of a job. The other half, `dropped`, is in its completion callback.
struct Work {
  std::function<void(microseconds waited, std::stop_token stop)> run;
  std::function<bool()> was_cut_short;
};
using Scaler = pool::DynamicScaler<Work>;

/// Names the calling thread as `top -H` and debuggers show it: `image-3`. Linux takes 15 characters.
void name_thread(const std::string& pool, pool::WorkerIndex worker) {
  const std::string name = (pool + "-" + std::to_string(worker)).substr(0, 15);
  pthread_setname_np(pthread_self(), name.c_str());
}

/// Raises the calling thread's nice value. On Linux it belongs to the thread. A value that the system refuses costs
/// promptness under load and nothing else, so the worker goes on with what it has.
void add_niceness(int niceness) {
  const auto thread = static_cast<id_t>(gettid());
  errno = 0;
  const int present = getpriority(PRIO_PROCESS, thread);
  if (present == -1 && errno != 0) return;
  setpriority(PRIO_PROCESS, thread, present + niceness);
}

/// Gives back what the media layer keeps for a worker's thread, when the worker leaves.
struct ThreadResources {
  ThreadResources() = default;
  ThreadResources(const ThreadResources&) = delete;
  ThreadResources& operator=(const ThreadResources&) = delete;
  ~ThreadResources() { media::release_thread_resources(); }
};

void run_jobs(pool::WorkerContext<Work>& context) {
  const ThreadResources resources;
  for (;;) {
    auto lease = context.take();
    if (!lease) return;
    bool was_cut_short = false;
    try {
      lease->run(duration_cast<microseconds>(lease.waited()), lease.stop_token());
      was_cut_short = lease->was_cut_short && lease->was_cut_short();
    } catch (...) {
      lease.fail(std::current_exception());
      continue;
    }
    if (was_cut_short) {
      lease.cancel();
    } else {
      lease.done();
    }
  }
}

int usable_workers(int workers_max) {
  return workers_max == 0 ? pool::count_cpus().cpus : workers_max;
}

base::Result<std::shared_ptr<const pool::Policy>> make_policy(const PoolSettings& settings) {
  using Policy = std::shared_ptr<const pool::Policy>;
  if (settings.policy == "little") return Policy(std::make_shared<pool::LittlePolicy>());
  if (settings.policy == "queue") return Policy(std::make_shared<pool::QueueLengthPolicy>());
  if (settings.policy == "spawn") return Policy(std::make_shared<pool::SpawnOnSubmitPolicy>());
  if (settings.policy == "fixed") {
    return Policy(std::make_shared<pool::FixedPolicy>(usable_workers(settings.workers_max)));
  }
  return fail(ErrorCode::kInvalidParameter,
              settings.name + "_policy must be little, queue, spawn or fixed, not " + settings.policy);
}

/// The pool's field names in the words of the configuration.
std::string setting_name(const std::string& pool_name, const std::string& field) {
  if (field == "min_workers") return pool_name + "_workers_min";
  if (field == "max_workers") return pool_name + "_workers_max";
  if (field == "queue_capacity") return pool_name + "_queue";
  return pool_name + "_" + field;
}

/// A message of the pool, with its field names in the words of the configuration.
std::string in_setting_names(const std::string& pool_name, std::string message) {
  for (const std::string field : {"min_workers", "max_workers", "queue_capacity"}) {
    const auto at = message.find(field);
    if (at != std::string::npos) message.replace(at, field.size(), setting_name(pool_name, field));
  }
  return message;
}

tl::unexpected<base::Error> invalid(const std::string& pool_name, const pool::ConfigError& error) {
  return fail(ErrorCode::kInvalidParameter,
              setting_name(pool_name, error.field) + " " + in_setting_names(pool_name, error.message));
}

base::Status check(const PoolSettings& settings) {
  if (settings.name.empty()) return fail(ErrorCode::kInvalidParameter, "a pool needs a name");
  if (settings.queue < 1) {
    return fail(ErrorCode::kInvalidParameter, settings.name + "_queue must be at least 1");
  }
  if (settings.niceness < 0 || settings.niceness > 19) {
    return fail(ErrorCode::kInvalidParameter, settings.name + "_niceness must be from 0 to 19");
  }
  return {};
}

/// Threads beyond this only take memory: the gate lets no more of them run than there are CPUs.
constexpr int kMostWorkersPerCpu = 16;

double seconds_of(pool::Duration duration) {
  return pool::to_seconds(duration);
}

/// A pool on the worker-pool library. One thread per job, so that a worker more than there are CPUs to use
/// would only make the others slower: hence the gate.
class ScalingJobPool final : public JobPool {
 public:
  ScalingJobPool(const PoolSettings& settings, pool::Gate gate, std::unique_ptr<Scaler> scaler)
      : settings_(settings), gate_(std::move(gate)), scaler_(std::move(scaler)) {}

  base::Status submit(Job job) override;
  bool drain(base::Deadline deadline) override;
  base::Status set_limits(int workers_min, int workers_max) override;
  PoolFigures figures() const override;
  std::vector<PoolDecision> decisions() const override;
  microseconds expected_wait() const override {
    return duration_cast<microseconds>(pool::expected_wait(scaler_->snapshot()));
  }

 private:
  base::Status answered(pool::Answer answer) const;

  const PoolSettings settings_;
  const pool::Gate gate_;
  const std::unique_ptr<Scaler> scaler_;
};

JobPool::Refusal reason_of(const pool::JobEnd& end, const std::stop_token& stop) {
  if (end.outcome == pool::Outcome::kExpired) return JobPool::Refusal::kExpired;
  return stop.stop_requested() ? JobPool::Refusal::kCancelled : JobPool::Refusal::kStopped;
}

base::Status ScalingJobPool::submit(Job job) {
  if (job.deadline.has_passed()) return answered(pool::Answer::kDeadline);
  if (!leaves_time(expected_wait(), job.deadline)) return answered(pool::Answer::kFull);
  pool::JobOptions options;
  options.deadline = job.deadline.time();
  options.stop = job.stop;
  options.on_end = [dropped = std::move(job.dropped), stop = job.stop](const pool::JobEnd& end) {
    if (end.worker == pool::kNoWorker && dropped) dropped(reason_of(end, stop));
  };
  return answered(scaler_->try_submit({std::move(job.run), std::move(job.was_cut_short)}, std::move(options)));
}

base::Status ScalingJobPool::answered(pool::Answer answer) const {
  switch (answer) {
    case pool::Answer::kAccepted: return {};
    case pool::Answer::kStopped: return fail(ErrorCode::kShuttingDown, "the server is shutting down");
    case pool::Answer::kDeadline:
      return fail(ErrorCode::kDeadlineExceeded, "the request ran out of its time before a worker was free");
    case pool::Answer::kFull: break;
  }
  return fail(ErrorCode::kOverloaded, "too many pictures wait for a worker", settings_.name + " pool");
}

bool ScalingJobPool::drain(base::Deadline deadline) {
  const bool all_finished = scaler_->drain(deadline.time()) == 0;
  scaler_->stop();
  return all_finished;
}

base::Status ScalingJobPool::set_limits(int workers_min, int workers_max) {
  const pool::Limits limits{workers_min, usable_workers(workers_max), static_cast<std::size_t>(settings_.queue)};
  if (const auto error = scaler_->set_limits(limits)) return invalid(settings_.name, *error);
  return {};
}

PoolRecommendation recommend(const pool::Snapshot& now, const pool::Gate& gate) {
  const pool::advisor::LiveAdvice advice = pool::advisor::advise(now, gate.check(now));
  return {std::string(to_string(advice.verdict)),
          advice.workers,
          advice.busy,
          advice.utilisation,
          advice.is_gated,
          advice.text};
}

PoolFigures ScalingJobPool::figures() const {
  const pool::Snapshot now = scaler_->snapshot();
  PoolFigures figures;
  figures.name = settings_.name;
  figures.workers_min = now.min_workers;
  figures.workers_max = now.max_workers;
  figures.live = now.live;
  figures.total = now.total;
  figures.retiring = now.retiring;
  figures.idle = now.idle;
  figures.in_flight = now.in_flight;
  figures.queue_depth = static_cast<int>(now.queue_depth);
  figures.queue_capacity = static_cast<int>(now.queue_capacity);
  figures.accepted = now.counters.accepted;
  figures.refused = now.counters.refused_full + now.counters.refused_stopped + now.counters.refused_deadline;
  figures.done = now.counters.done;
  figures.failed = now.counters.failed;
  figures.cancelled = now.counters.cancelled;
  figures.expired = now.counters.expired;
  figures.arrival_rate = now.arrival_rate;
  figures.wait_p50 = seconds_of(now.wait.p50);
  figures.wait_p95 = seconds_of(now.wait.p95);
  figures.wait_p99 = seconds_of(now.wait.p99);
  figures.service_p50 = seconds_of(now.service.p50);
  figures.service_p95 = seconds_of(now.service.p95);
  figures.service_p99 = seconds_of(now.service.p99);
  figures.expected_wait = seconds_of(pool::expected_wait(now));
  figures.policy = settings_.policy;
  const pool::CpuCount cpus = pool::count_cpus();
  figures.cpu_source = cpus.source;
  figures.cpus = cpus.cpus;
  figures.workers_limit =
      std::max({kMostWorkersPerCpu * cpus.cpus, usable_workers(settings_.workers_max), now.max_workers});
  figures.recommendation = recommend(now, gate_);
  return figures;
}

std::vector<PoolDecision> ScalingJobPool::decisions() const {
  const auto now = std::chrono::steady_clock::now();
  std::vector<PoolDecision> decisions;
  for (const pool::Decision& decision : scaler_->decisions()) {
    decisions.push_back({seconds_of(now - decision.at), decision.input.live,
                         static_cast<int>(decision.input.queue_depth), decision.input.in_flight, decision.target,
                         std::string(pool::to_string(decision.reason))});
  }
  return decisions;
}

}  // namespace

bool leaves_time(microseconds expected_wait, base::Deadline deadline) {
  return deadline.is_never() || expected_wait <= deadline.remaining() / 2;
}

base::Result<std::unique_ptr<JobPool>> JobPool::make(const PoolSettings& settings) {
  if (const auto valid = check(settings); !valid) return fail(valid.error());
  auto policy = make_policy(settings);
  if (!policy) return fail(policy.error());
  pool::Config config;
  config.name = settings.name;
  config.min_workers = settings.workers_min;
  config.max_workers = usable_workers(settings.workers_max);
  config.queue_capacity = static_cast<std::size_t>(settings.queue);
  config.policy = *std::move(policy);
  const pool::Gate gate = pool::Gate::cpu(1);
  config.gate = gate;
  config.on_thread_start = [name = settings.name, niceness = settings.niceness](pool::WorkerIndex index) {
    name_thread(name, index);
    add_niceness(niceness);
  };
  auto scaler = Scaler::make(std::move(config), [](pool::WorkerIndex) { return pool::WorkerBody<Work>(run_jobs); });
  if (!scaler) return invalid(settings.name, scaler.error());
  return std::make_unique<ScalingJobPool>(settings, gate, std::move(*scaler));
}

}  // namespace optimux::service
