// Random operations from several threads against one pool, with everything that can happen to it happening: submissions
// of every kind, cancellation, expiry, resizing, crashes, drain and stop. OPTIMUX_POOL_STRESS_OPERATIONS sets how many
// (10 million take minutes), OPTIMUX_POOL_STRESS_SEED where they start.

#include "support/tasks.hpp"

#include <atomic>
#include <cstdlib>
#include <deque>
#include <random>
#include <stdexcept>

namespace optimux::pool::testing {
namespace {

constexpr int kCap = 6;
constexpr int kSubmitters = 3;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread is started
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// What the jobs of one round did.
struct Ledger {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> ended{0};
  std::atomic<std::uint64_t> ended_twice{0};
  std::atomic<std::uint64_t> ran{0};
  std::atomic<std::uint64_t> started_after_stop{0};
  std::atomic<std::uint64_t> started_though_cancelled{0};
  std::atomic<std::uint64_t> over_the_cap{0};
  std::atomic<bool> stop_returned{false};
  std::atomic<int> bodies{0};
};

/// Each accepted job owns one; it notices when it is told a second end.
class OneEnd {
 public:
  explicit OneEnd(Ledger& ledger) : ledger_(&ledger) {}
  void operator()(const JobEnd& end) {
    ++ledger_->ended;
    if (told_) ++ledger_->ended_twice;
    told_ = true;
    if (end.worker == kNoWorker && end.ran != Duration::zero()) ++ledger_->started_though_cancelled;
  }

 private:
  Ledger* ledger_;
  bool told_ = false;
};

WorkerFactory<Task> crashing_worker(Ledger& ledger, std::atomic<int>& luck) {
  return [&](WorkerIndex index) -> WorkerBody<Task> {
    if (++luck % 97 == 0) throw std::runtime_error("factory");
    return [&, index](WorkerContext<Task>& context) {
      if (++ledger.bodies > kCap) ++ledger.over_the_cap;
      struct Leave {
        Ledger& ledger;
        ~Leave() { --ledger.bodies; }
      } const leave{ledger};
      while (true) {
        const bool stopped_before = ledger.stop_returned;
        auto job = context.take();
        if (!job) break;
        if (stopped_before) ++ledger.started_after_stop;
        // A job that was taken before the stop may only now get here; it is told so by its token.
        if (ledger.stop_returned && !job.stop_token().stop_requested()) ++ledger.started_after_stop;
        (*job)({job.stop_token(), job.waited(), job.deadline(), index});
        ++ledger.ran;
        const int draw = ++luck;
        if (draw % 211 == 0) throw std::runtime_error("worker");
        if (draw % 223 == 0) return;
        if (draw % 7 == 0) {
          job.fail(nullptr);
        } else {
          job.done();
        }
      }
    };
  };
}

class Round {
 public:
  explicit Round(std::uint64_t seed) : seed_(seed) {
    Config config;
    config.min_workers = 1;
    config.max_workers = kCap;
    config.queue_capacity = 16;
    config.retire_grace = std::chrono::microseconds(200);
    config.first_backoff = std::chrono::microseconds(50);
    config.longest_backoff = std::chrono::milliseconds(1);
    SpawnOnSubmitPolicy::Options options;
    options.idle_time = std::chrono::microseconds(300);
    options.check_interval = std::chrono::microseconds(200);
    config.policy = std::make_shared<SpawnOnSubmitPolicy>(options);
    pool_ = *TaskPool::make(config, crashing_worker(ledger_, luck_));
  }

  void run(std::uint64_t operations) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kSubmitters; ++i) {
      threads.emplace_back([this, i, operations] { submit(seed_ * 31 + i, operations / kSubmitters); });
    }
    threads.emplace_back([this] { disturb(seed_ * 31 + 77); });
    for (int i = 0; i < kSubmitters; ++i) threads[i].join();
    leaving_ = true;
    threads.back().join();
    finish();
  }

 private:
  JobOptions options(std::mt19937_64& random, std::deque<std::stop_source>& sources) {
    JobOptions options;
    options.on_end = OneEnd(ledger_);
    if (random() % 3 == 0) options.deadline = Clock::steady()->now() + std::chrono::microseconds(random() % 300);
    if (random() % 2 == 0) {
      sources.emplace_back();
      options.stop = sources.back().get_token();
    }
    return options;
  }

  void submit(std::uint64_t seed, std::uint64_t operations) {
    std::mt19937_64 random(seed);
    std::deque<std::stop_source> sources;
    for (std::uint64_t i = 0; i < operations; ++i) {
      const auto action = random() % 16;
      if (action < 8) {
        note(pool_->try_submit(task(), options(random, sources)));
      } else if (action < 10) {
        const TimePoint soon = Clock::steady()->now() + std::chrono::microseconds(random() % 200);
        note(pool_->submit(task(), options(random, sources), soon));
      } else if (action < 12) {
        submit_batch(random, sources);
      } else if (!sources.empty()) {
        sources[random() % sources.size()].request_stop();
      }
      while (sources.size() > 32) sources.pop_front();
    }
  }

  void submit_batch(std::mt19937_64& random, std::deque<std::stop_source>& sources) {
    std::vector<Task> jobs;
    std::vector<JobOptions> all;
    for (std::uint64_t i = random() % 5; i > 0; --i) {
      jobs.push_back(task());
      all.push_back(options(random, sources));
    }
    ledger_.accepted += pool_->submit_batch(jobs, all).accepted;
  }

  void disturb(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    while (!leaving_) {
      const int most = 1 + static_cast<int>(random() % kCap);
      pool_->set_limits({static_cast<int>(random() % (static_cast<unsigned>(most) + 1)), most, 4 + random() % 32});
      if (random() % 4 == 0) pool_->step();
      const Snapshot snapshot = pool_->snapshot();
      EXPECT_LE(snapshot.total, kCap) << "I1";
      EXPECT_EQ(snapshot.live + snapshot.retiring, snapshot.total) << "I2";
      EXPECT_LE(snapshot.in_flight, kCap);
      std::this_thread::yield();
    }
  }

  void finish() {
    pool_->set_limits({1, kCap, 16});
    if (seed_ % 2 == 0) {
      EXPECT_EQ(pool_->drain(), 0U);
      EXPECT_EQ(ledger_.ended, ledger_.accepted) << "I4";
    }
    pool_->stop();
    ledger_.stop_returned = true;
    const Counters counters = pool_->snapshot().counters;
    pool_.reset();
    EXPECT_EQ(counters.accepted, ledger_.accepted);
    EXPECT_EQ(ledger_.ended, ledger_.accepted) << "I4";
    EXPECT_EQ(ledger_.ended_twice, 0U) << "I4";
    EXPECT_EQ(ledger_.started_after_stop, 0U) << "I7";
    EXPECT_EQ(ledger_.started_though_cancelled, 0U) << "I4";
    EXPECT_EQ(ledger_.over_the_cap, 0U) << "I1, I6";
    EXPECT_EQ(ledger_.bodies, 0);
    EXPECT_GT(ledger_.ran, 0U);
  }

  static Task task() {
    return Task([](const JobContext& context) {
      for (int i = 0; i < 20 && !context.stop.stop_requested(); ++i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
    });
  }
  void note(Answer answer) { ledger_.accepted += answer == Answer::kAccepted ? 1 : 0; }

  std::uint64_t seed_;
  Ledger ledger_;
  std::atomic<int> luck_{0};
  std::atomic<bool> leaving_{false};
  std::unique_ptr<TaskPool> pool_;
};

TEST(Stress, I1I2I4I6I7HoldUnderRandomOperations) {
  const std::uint64_t operations = from_environment("OPTIMUX_POOL_STRESS_OPERATIONS", 60'000);
  const std::uint64_t first_seed = from_environment("OPTIMUX_POOL_STRESS_SEED", 1);
  constexpr std::uint64_t kPerRound = 5'000;
  for (std::uint64_t done = 0, seed = first_seed; done < operations && !HasFailure(); done += kPerRound, ++seed) {
    SCOPED_TRACE("OPTIMUX_POOL_STRESS_SEED=" + std::to_string(seed));
    Round(seed).run(kPerRound);
  }
}

}  // namespace
}  // namespace optimux::pool::testing
