// Many threads at once on the real pool: what is checked is that every answer is whole or an honest error, that nothing
// is left over, and (under ThreadSanitizer) that nothing races.
#include <atomic>
#include <deque>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutex.hpp"
#include "service/rendition_service.hpp"
#include "unit/service/doubles.hpp"

namespace optimux::service {
namespace {

using base::Deadline;
using base::ErrorCode;

/// Answers from a thread of its own, as an event loop does; a fetch that nobody wants any more ends as cancelled.
class LoopSource final : public source::Source {
 public:
  ~LoopSource() override {
    {
      base::MutexLock lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_one();
    loop_.join();
  }
  void fetch(source::FetchRequest request, source::FetchCallback callback) override {
    {
      base::MutexLock lock(mutex_);
      pending_.emplace_back(std::move(request), std::move(callback));
    }
    changed_.notify_one();
  }

 private:
  using Pending = std::pair<source::FetchRequest, source::FetchCallback>;

  static base::Result<source::FetchedSource> answer(const source::FetchRequest& request) {
    if (request.stop.stop_requested()) return base::fail(ErrorCode::kCancelled, "cancelled");
    if (request.locator.value == "missing") return base::fail(ErrorCode::kNotFound, "no such file");
    return source::FetchedSource{doubles::bytes_of(request.locator.value), {}};
  }
  bool take(Pending& next) {
    base::MutexLock lock(mutex_);
    while (pending_.empty() && !is_stopping_) changed_.wait(mutex_);
    if (pending_.empty()) return false;
    next = std::move(pending_.front());
    pending_.pop_front();
    return true;
  }
  void run() {
    for (Pending next; take(next); next = {}) next.second(answer(next.first));
  }

  base::Mutex mutex_;
  base::ConditionVariable changed_;
  std::deque<Pending> pending_ OPTIMUX_GUARDED_BY(mutex_);
  bool is_stopping_ OPTIMUX_GUARDED_BY(mutex_) = false;
  std::thread loop_{[this] { run(); }};
};

struct World {
  explicit World(const ServiceLimits& limits) {
    PoolSettings settings;
    settings.workers_min = 3;
    settings.workers_max = 3;
    settings.policy = "fixed";
    settings.niceness = 0;
    pool = std::move(*JobPool::make(settings));
    service = std::make_unique<RenditionService>(limits, *pool, source, executor, *log);
  }
  std::unique_ptr<base::LogSink> log = base::make_null_log();
  doubles::TextExecutor executor;
  LoopSource source;
  std::unique_ptr<JobPool> pool;
  std::unique_ptr<RenditionService> service;
};

void wait_for_end(base::SharedBody::Reader& reader) {
  while (!reader.body().is_finished()) {
    const auto woken = std::make_shared<std::promise<void>>();
    if (reader.wait([woken] { woken->set_value(); })) woken->get_future().get();
    reader.acknowledge_head();
    doubles::read(reader);
  }
}

/// One client's life: opens, and reads to the end, leaves at once, or leaves some of its sizes.
class Client {
 public:
  Client(World& world, unsigned seed) : world_(world), random_(seed) {}

  void run(int requests) {
    for (int i = 0; i < requests; ++i) request();
  }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  TransformSpec any_spec() {
    static const char* const kNames[] = {"cat", "dog", "missing"};
    TransformSpec spec{{source::SourceLocator::Kind::kFile, kNames[pick(3)]}, {}};
    spec.render.sizes.clear();
    for (int i = 0; i <= pick(3); ++i) spec.render.sizes.push_back({1 + pick(6), 0});
    return spec;
  }

  void request() {
    const TransformSpec spec = any_spec();
    const Deadline deadline = pick(8) == 0 ? Deadline::after(std::chrono::microseconds(pick(300))) : Deadline::never();
    auto opened = world_.service->open(spec, deadline);
    ASSERT_EQ(opened.size(), spec.render.sizes.size());
    if (pick(4) == 0) return;
    for (std::size_t i = 0; i < opened.size(); ++i) {
      if (pick(5) == 0) opened[i].reader = {};
    }
    for (std::size_t i = 0; i < opened.size(); ++i) {
      if (opened[i].reader) check(spec, i, opened[i], deadline);
    }
  }

  static void check(const TransformSpec& spec, std::size_t index, OpenedRendition& opened, Deadline deadline) {
    auto whole = opened.rendition->body()->attach();
    wait_for_end(opened.reader);
    const bool has_time = deadline.is_never();
    if (const auto error = opened.rendition->body()->error()) {
      const bool is_late = error->code == ErrorCode::kDeadlineExceeded || error->code == ErrorCode::kOverloaded;
      const bool is_expected =
          is_late ? !has_time : error->code == ErrorCode::kNotFound && spec.source.value == "missing";
      EXPECT_TRUE(is_expected) << base::name_of(error->code) << " " << error->detail;
      return;
    }
    EXPECT_EQ(doubles::read(whole),
              doubles::TextExecutor::text(doubles::bytes_of(spec.source.value), spec.render, index));
  }

  World& world_;
  std::mt19937 random_;
};

void run_clients(World& world, int requests) {
  std::vector<std::jthread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([&world, requests, seed] { Client(world, seed).run(requests); });
  }
}

TEST(ServiceStress, EveryAnswerIsWholeOrAnHonestError) {
  World world({.memory_cache_bytes = 30'000, .decoded_bytes = 250});
  run_clients(world, 1000);
  EXPECT_TRUE(world.pool->drain(Deadline::never()));
  EXPECT_EQ(world.service->figures().in_flight, 0U);
  EXPECT_EQ(world.service->figures().decoded_bytes_in_use, 0U);
  EXPECT_GT(world.service->figures().renders, 0U);
}

TEST(ServiceStress, DestructionInTheMiddleOfWork) {
  for (unsigned round = 0; round < 50; ++round) {
    std::vector<OpenedRendition> left;
    {
      World world({.memory_cache_bytes = 30'000, .decoded_bytes = 150});
      for (int i = 0; i < 20; ++i) {
        auto opened = world.service->open(
            {{source::SourceLocator::Kind::kFile, i % 2 == 0 ? "cat" : "dog"}, {.sizes = {{1 + i, 0}}}},
            Deadline::never());
        left.push_back(std::move(opened.front()));
      }
      world.service.reset();
    }
    for (const auto& opened : left) EXPECT_TRUE(opened.rendition->body()->is_finished());
  }
}

TEST(ServiceStress, SixtyFourColdClientsAtOnce) {
  World world({});
  std::atomic<int> whole = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 64; ++i) {
      threads.emplace_back([&] {
        auto opened = world.service->open({{source::SourceLocator::Kind::kFile, "cat"}, {}}, Deadline::never());
        wait_for_end(opened.front().reader);
        auto again = opened.front().rendition->body()->attach();
        if (doubles::read(again) == "cat@0x0q0") ++whole;
      });
    }
  }
  EXPECT_EQ(whole, 64);
  EXPECT_EQ(world.executor.renders(), 1);
  EXPECT_EQ(world.service->figures().fetches, 1U);
}

}  // namespace
}  // namespace optimux::service
