// This library: the whole pool with its bookkeeping, as users get it. Three ways of using it: jobs of a type of their
// own, jobs that are any callable, and jobs handed over and taken in batches.

#include "contender.hpp"
#include "optimux/pool/pool.hpp"
#include "work.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace optimux::pool::bench {
namespace {

Config fixed(int workers) {
  Config config;
  config.min_workers = workers;
  config.max_workers = workers;
  config.queue_capacity = kCapacity;
  config.policy = std::make_shared<FixedPolicy>(workers);
  return config;
}

template <class Job>
class Pool : public Contender {
 public:
  Pool(int workers, WorkerFactory<Job> factory) {
    auto made = DynamicScaler<Job>::make(fixed(workers), std::move(factory));
    if (!made) throw std::runtime_error(made.error().message);
    pool_ = *std::move(made);
  }

 protected:
  DynamicScaler<Job>& pool() { return *pool_; }

 private:
  std::unique_ptr<DynamicScaler<Job>> pool_;
};

struct Burn {
  std::uint32_t steps;
};

class TypedJobs final : public Pool<Burn> {
 public:
  explicit TypedJobs(int workers)
      : Pool(workers, handler_worker<Burn>([](const Burn& job, const JobContext&) { burn(job.steps); })) {}
  void run(std::int64_t jobs, std::uint32_t steps) override {
    for (; jobs > 0; --jobs) pool().submit(Burn{steps});
    pool().drain();
  }
};

using Function = UniqueFunction<void()>;

class FunctionJobs final : public Pool<Function> {
 public:
  explicit FunctionJobs(int workers)
      : Pool(workers, handler_worker<Function>([](Function& job, const JobContext&) { job(); })) {}
  void run(std::int64_t jobs, std::uint32_t steps) override {
    for (; jobs > 0; --jobs) pool().submit([steps] { burn(steps); });
    pool().drain();
  }
};

class Batches final : public Pool<Burn> {
 public:
  explicit Batches(int workers)
      : Pool(workers, batching_worker<Burn>(kBatch, [](const Burn& job, const JobContext&) { burn(job.steps); })) {}
  void run(std::int64_t jobs, std::uint32_t steps) override {
    std::vector<Burn> batch;
    for (; jobs > 0; jobs -= static_cast<std::int64_t>(batch.size())) {
      batch.assign(static_cast<std::size_t>(std::min<std::int64_t>(jobs, kBatch)), Burn{steps});
      for (std::size_t next = pool().submit_batch(batch).accepted; next < batch.size(); ++next) {
        pool().submit(std::move(batch[next]));
      }
    }
    pool().drain();
  }

 private:
  static constexpr std::int64_t kBatch = 32;
};

}  // namespace

std::unique_ptr<Contender> make_optimux(int workers) {
  return std::make_unique<TypedJobs>(workers);
}
std::unique_ptr<Contender> make_optimux_functions(int workers) {
  return std::make_unique<FunctionJobs>(workers);
}
std::unique_ptr<Contender> make_optimux_batches(int workers) {
  return std::make_unique<Batches>(workers);
}

}  // namespace optimux::pool::bench
