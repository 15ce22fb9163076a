#include "apps/optimux/pool/shapes/experiment.hpp"

#include "base/mutex.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace optimux::apps {
namespace {

using Clock = Request::Clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// One shape, once: clients that ask until all requests have been asked for.
class Run {
 public:
  Run(const ShapeKind& kind, const ExperimentPlan& plan, const Stages& stages)
      : kind_(kind), plan_(plan), stages_(stages), left_(plan.requests) {}

  base::Status into(ShapeResult& result) {
    ThreadTimes times;
    const Clock::time_point start = Clock::now();
    {
      const auto shape = kind_.make(stages_, times);
      ask_all(*shape);
      result.rates.push_back(plan_.requests / seconds_between(start, Clock::now()));
    }
    result.blocked.push_back(times.blocked_share());
    const base::MutexLock lock(mutex_);
    result.latencies.insert(result.latencies.end(), latencies_.begin(), latencies_.end());
    result.first_bytes.insert(result.first_bytes.end(), first_bytes_.begin(), first_bytes_.end());
    return error_ ? base::fail(*error_) : base::Status{};
  }

 private:
  void ask_all(Shape& shape) {
    std::vector<std::thread> clients;
    clients.reserve(static_cast<std::size_t>(plan_.clients));
    for (int i = 0; i < plan_.clients; ++i) {
      clients.emplace_back([this, &shape] {
        while (left_.fetch_sub(1) > 0) ask(shape);
      });
    }
    for (std::thread& client : clients) client.join();
  }

  void ask(Shape& shape) {
    Request request;
    const Clock::time_point asked = Clock::now();
    shape.start(request);
    request.wait();
    const Clock::time_point answered = Clock::now();
    const Clock::time_point first = kind_.flushes_early ? request.first_bytes().value_or(answered) : answered;
    const base::MutexLock lock(mutex_);
    latencies_.push_back(seconds_between(asked, answered));
    first_bytes_.push_back(seconds_between(asked, first));
    if (!error_) error_ = request.error();
  }

  const ShapeKind& kind_;
  const ExperimentPlan& plan_;
  const Stages& stages_;
  std::atomic<int> left_;
  base::Mutex mutex_;
  std::vector<double> latencies_ OPTIMUX_GUARDED_BY(mutex_);
  std::vector<double> first_bytes_ OPTIMUX_GUARDED_BY(mutex_);
  std::optional<base::Error> error_ OPTIMUX_GUARDED_BY(mutex_);
};

base::Status check(const ExperimentPlan& plan) {
  const auto refuse = [](std::string detail) {
    return base::fail(base::ErrorCode::kInvalidParameter, std::move(detail));
  };
  if (plan.shapes.empty()) return refuse("--only names no shape");
  if (plan.clients < 1 || plan.clients > 1000) return refuse("--clients must be from 1 to 1000");
  if (plan.requests < 1 || plan.requests > 1'000'000) return refuse("--requests must be from 1 to 1000000");
  if (plan.rounds < 1 || plan.rounds > 100) return refuse("--rounds must be from 1 to 100");
  return {};
}

}  // namespace

base::Result<std::vector<ShapeResult>> run_experiment(const ExperimentPlan& plan, const Stages& stages,
                                                      const ExperimentProgress& progress) {
  if (const base::Status status = check(plan); !status) return base::fail(status.error());
  std::vector<ShapeResult> results;
  for (const ShapeKind& kind : plan.shapes) results.push_back({.kind = kind, .rates = {}});
  for (int round = 1; round <= plan.rounds; ++round) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      ShapeResult& result = results[round % 2 == 1 ? i : results.size() - 1 - i];
      progress(round, result.kind);
      if (const base::Status status = Run(result.kind, plan, stages).into(result); !status) {
        return base::fail(status.error());
      }
    }
  }
  return results;
}

}  // namespace optimux::apps
