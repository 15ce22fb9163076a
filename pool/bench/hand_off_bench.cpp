// What it costs to get a job that does nothing from one submitter to some worker and to know that it has ended: the
// whole pool, bookkeeping included, next to the plainest pool there is (a mutex, a condition variable, std::function).

#include "optimux/pool/dynamic_scaler.hpp"

#include <benchmark/benchmark.h>
#include <condition_variable>
#include <deque>
#include <functional>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace {

namespace pool = optimux::pool;

struct EmptyJob {};

constexpr std::size_t kCapacity = 1024;

pool::Config fixed(int workers) {
  pool::Config config;
  config.min_workers = workers;
  config.max_workers = workers;
  config.queue_capacity = kCapacity;
  config.policy = std::make_shared<pool::FixedPolicy>(workers);
  return config;
}

void report_per_job(benchmark::State& state, std::int64_t jobs) {
  state.SetItemsProcessed(jobs);
}

void empty_job(benchmark::State& state) {
  auto made =
      pool::DynamicScaler<EmptyJob>::make(fixed(static_cast<int>(state.range(0))),
                                          pool::handler_worker<EmptyJob>([](EmptyJob&, const pool::JobContext&) {}));
  auto scaler = *std::move(made);
  for (auto _ : state) scaler->submit(EmptyJob{});
  scaler->drain();
  report_per_job(state, state.iterations());
  const pool::Snapshot snapshot = scaler->snapshot();
  state.counters["wakes/job"] = static_cast<double>(snapshot.counters.wakes_for_jobs) /
                                static_cast<double>(std::max<std::uint64_t>(snapshot.counters.accepted, 1));
}
BENCHMARK(empty_job)->Arg(1)->Arg(2)->Arg(8)->Arg(32)->UseRealTime();

void empty_job_in_batches(benchmark::State& state) {
  auto made =
      pool::DynamicScaler<EmptyJob>::make(fixed(static_cast<int>(state.range(0))),
                                          pool::handler_worker<EmptyJob>([](EmptyJob&, const pool::JobContext&) {}));
  auto scaler = *std::move(made);
  constexpr std::size_t kBatch = 32;
  std::vector<EmptyJob> jobs(kBatch);
  for (auto _ : state) {
    const std::size_t accepted = scaler->submit_batch(jobs).accepted;
    for (std::size_t i = accepted; i < kBatch; ++i) scaler->submit(EmptyJob{});
  }
  scaler->drain();
  report_per_job(state, state.iterations() * static_cast<std::int64_t>(kBatch));
}
BENCHMARK(empty_job_in_batches)->Arg(2)->Arg(32)->UseRealTime();

// One job at a time, waited for: the latency of waking a parked worker and hearing from it.
void round_trip(benchmark::State& state) {
  auto made =
      pool::DynamicScaler<EmptyJob>::make(fixed(static_cast<int>(state.range(0))),
                                          pool::handler_worker<EmptyJob>([](EmptyJob&, const pool::JobContext&) {}));
  auto scaler = *std::move(made);
  for (auto _ : state) {
    std::latch ended(1);
    scaler->submit(EmptyJob{}, {.on_end = [&](const pool::JobEnd&) { ended.count_down(); }});
    ended.wait();
  }
}
BENCHMARK(round_trip)->Arg(1)->Arg(8)->UseRealTime();

// The plain pool: notifies whenever a worker waits.
class PlainPool {
 public:
  explicit PlainPool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { run(); });
  }
  ~PlainPool() {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    jobs_wait_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> job) {
    {
      std::unique_lock lock(mutex_);
      places_.wait(lock, [&] { return queue_.size() < kCapacity; });
      queue_.push_back(std::move(job));
    }
    jobs_wait_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      jobs_wait_.wait(lock, [&] { return leaving_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::function<void()> job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      places_.notify_one();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable jobs_wait_;
  std::condition_variable places_;
  std::deque<std::function<void()>> queue_;
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

void empty_job_in_plain_pool(benchmark::State& state) {
  PlainPool plain(static_cast<int>(state.range(0)));
  for (auto _ : state) plain.submit([] {});
  report_per_job(state, state.iterations());
}
BENCHMARK(empty_job_in_plain_pool)->Arg(1)->Arg(2)->Arg(8)->Arg(32)->UseRealTime();

}  // namespace
