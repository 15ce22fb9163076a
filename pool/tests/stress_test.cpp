// Random operations from several threads against one pool, with everything that can happen to it happening: submissions
// of every kind, batches, cancellation, expiry, resizing and with it retirement, crashes, drain and stop.
// OPTIMUX_POOL_STRESS_OPERATIONS sets how many (10 million take minutes), OPTIMUX_POOL_STRESS_SEED where they start.

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
  std::atomic<std::uint64_t> to_be_told{0};
  std::atomic<std::uint64_t> ended{0};
  std::atomic<std::uint64_t> ended_twice{0};
  std::atomic<std::uint64_t> ran{0};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> started_after_stop{0};
  std::atomic<std::uint64_t> not_told_of_stop{0};
  std::atomic<std::uint64_t> ran_though_never_started{0};
  std::atomic<std::uint64_t> over_the_cap{0};
  std::atomic<TimePoint> stop_returned_at{kNever};
  std::atomic<int> bodies{0};
};

/// Each accepted job that has somebody to tell owns one; it notices when it is told a second end.
class OneEnd {
 public:
  OneEnd(Ledger& ledger, std::shared_ptr<bool> ran) : ledger_(&ledger), ran_(std::move(ran)) {}
  void operator()(const JobEnd& end) {
    ++ledger_->ended;
    if (told_) ++ledger_->ended_twice;
    told_ = true;
    const bool never_started = end.worker == kNoWorker;
    if (never_started && (*ran_ || end.ran != Duration::zero())) ++ledger_->ran_though_never_started;
    if (end.outcome == Outcome::kExpired && !never_started) ++ledger_->ran_though_never_started;
  }

 private:
  Ledger* ledger_;
  std::shared_ptr<bool> ran_;
  bool told_ = false;
};

/// A worker that takes one job or several, ends them in every way there is, and now and then falls.
class Body {
 public:
  Body(Ledger& ledger, std::atomic<int>& luck) : ledger_(ledger), luck_(luck) {
    if (++ledger_.bodies > kCap) ++ledger_.over_the_cap;
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() { --ledger_.bodies; }

  void run(WorkerContext<Task>& context) {
    std::vector<Lease<Task>> leases;
    for (;;) {
      const auto draw = static_cast<unsigned>(++luck_);
      if (draw % 3 == 0) {
        if (context.pop_batch(leases, 2 + draw % 5) == 0) return;
        if (leases.size() > 1) ++ledger_.batches;
        for (Lease<Task>& lease : leases) {
          if (!work(context, lease)) return;
        }
      } else {
        Lease<Task> lease = draw % 2 == 0 ? context.take() : context.take_next();
        if (!lease || !work(context, lease)) return;
      }
    }
  }

 private:
  /// Returns false when the worker is to leave without having been asked.
  bool work(WorkerContext<Task>& context, Lease<Task>& lease) {
    const TimePoint stop_returned_at = ledger_.stop_returned_at;
    if (lease.started_at() > stop_returned_at) ++ledger_.started_after_stop;
    if (stop_returned_at != kNever && !lease.stop_token().stop_requested()) ++ledger_.not_told_of_stop;
    const int draw = ++luck_;
    if (draw % 13 == 0 && lease.stop_token().stop_requested()) {
      lease.drop(Outcome::kCancelled);
      return true;
    }
    (*lease)({lease.stop_token(), lease.waited(), lease.deadline(), context.index()});
    ++ledger_.ran;
    if (draw % 211 == 0) throw std::runtime_error("worker");
    if (draw % 223 == 0) return false;
    if (draw % 7 == 0) {
      lease.fail(nullptr);
    } else if (draw % 11 == 0) {
      lease.cancel();
    } else {
      lease.done();
    }
    return true;
  }

  Ledger& ledger_;
  std::atomic<int>& luck_;
};

WorkerFactory<Task> crashing_worker(Ledger& ledger, std::atomic<int>& luck) {
  return [&](WorkerIndex) -> WorkerBody<Task> {
    if (++luck % 97 == 0) throw std::runtime_error("factory");
    return [&](WorkerContext<Task>& context) { Body(ledger, luck).run(context); };
  };
}

/// What happened in all rounds: a run in which something never did proves nothing about it.
struct Happened {
  Counters counters;
  std::uint64_t batches = 0;
  void add(const Counters& other) {
    counters.done += other.done;
    counters.failed += other.failed;
    counters.cancelled += other.cancelled;
    counters.expired += other.expired;
    counters.refused_full += other.refused_full;
    counters.refused_stopped += other.refused_stopped;
    counters.workers_retired += other.workers_retired;
    counters.workers_crashed += other.workers_crashed;
    counters.start_failures += other.start_failures;
  }
};

/// How a round ends. In two of four ways jobs are being submitted at that time.
enum class Finish : std::uint8_t { kDrain, kStop, kDrainWhileBusy, kStopWhileBusy };

class Round {
 public:
  explicit Round(std::uint64_t seed) : seed_(seed), finish_(static_cast<Finish>(seed % 4)) {
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

  void run(std::uint64_t operations, Happened& happened) {
    end_early_at_ = operations / 2;
    std::vector<std::thread> threads;
    for (int i = 0; i < kSubmitters; ++i) {
      threads.emplace_back([this, i, operations] { submit(seed_ * 31 + i, operations / kSubmitters); });
    }
    threads.emplace_back([this] { disturb(seed_ * 31 + 77); });
    for (int i = 0; i < kSubmitters; ++i) threads[i].join();
    leaving_ = true;
    threads.back().join();
    finish(happened);
  }

 private:
  struct Job {
    Task task;
    JobOptions options;
    bool told;
  };
  /// One job in three is plain: nobody is told of its end, and it has neither deadline nor token.
  Job job(std::mt19937_64& random, std::deque<std::stop_source>& sources) {
    if (random() % 3 == 0) return {task(nullptr), {}, false};
    auto ran = std::make_shared<bool>(false);
    JobOptions options;
    options.on_end = OneEnd(ledger_, ran);
    if (random() % 3 == 0) options.deadline = Clock::steady()->now() + std::chrono::microseconds(random() % 300);
    if (random() % 2 == 0) {
      sources.emplace_back();
      options.stop = sources.back().get_token();
    }
    return {task(std::move(ran)), std::move(options), true};
  }

  void submit(std::uint64_t seed, std::uint64_t operations) {
    std::mt19937_64 random(seed);
    std::deque<std::stop_source> sources;
    for (std::uint64_t i = 0; i < operations; ++i) {
      ++operations_;
      const auto action = random() % 16;
      if (action < 10) {
        submit_one(random, sources, action < 8);
      } else if (action < 12) {
        submit_batch(random, sources);
      } else if (!sources.empty()) {
        sources[random() % sources.size()].request_stop();
      }
      while (sources.size() > 32) sources.pop_front();
    }
  }

  void submit_one(std::mt19937_64& random, std::deque<std::stop_source>& sources, bool at_once) {
    Job one = job(random, sources);
    // Counted before: its end may come before the answer.
    ledger_.to_be_told += one.told ? 1 : 0;
    const TimePoint soon = Clock::steady()->now() + std::chrono::microseconds(random() % 200);
    const Answer answer = at_once ? pool_->try_submit(std::move(one.task), std::move(one.options))
                                  : pool_->submit(std::move(one.task), std::move(one.options), soon);
    if (answer == Answer::kAccepted) {
      ++ledger_.accepted;
    } else {
      ledger_.to_be_told -= one.told ? 1 : 0;
    }
  }

  void submit_batch(std::mt19937_64& random, std::deque<std::stop_source>& sources) {
    std::vector<Task> jobs;
    std::vector<JobOptions> all;
    std::vector<bool> told;
    for (std::uint64_t i = random() % 5; i > 0; --i) {
      Job one = job(random, sources);
      jobs.push_back(std::move(one.task));
      all.push_back(std::move(one.options));
      told.push_back(one.told);
      ledger_.to_be_told += one.told ? 1 : 0;
    }
    const std::size_t accepted = pool_->submit_batch(jobs, all).accepted;
    ledger_.accepted += accepted;
    for (std::size_t i = accepted; i < told.size(); ++i) ledger_.to_be_told -= told[i] ? 1 : 0;
  }

  void disturb(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    while (!leaving_) {
      const int most = 1 + static_cast<int>(random() % kCap);
      pool_->set_limits({static_cast<int>(random() % (static_cast<unsigned>(most) + 1)), most, 4 + random() % 32});
      if (random() % 4 == 0) pool_->step();
      if (operations_ > end_early_at_) end_early();
      const Snapshot snapshot = pool_->snapshot();
      EXPECT_LE(snapshot.total, kCap) << "I1";
      EXPECT_EQ(snapshot.live + snapshot.retiring, snapshot.total) << "I2";
      EXPECT_LE(snapshot.in_flight, kCap);
      std::this_thread::yield();
    }
  }

  void end_early() {
    if (finish_ == Finish::kDrainWhileBusy) pool_->drain(Clock::steady()->now() + std::chrono::microseconds(100));
    if (finish_ == Finish::kStopWhileBusy) stop();
  }
  void stop() {
    pool_->stop();
    TimePoint never = kNever;
    ledger_.stop_returned_at.compare_exchange_strong(never, Clock::steady()->now());
  }

  void finish(Happened& happened) {
    pool_->set_limits({1, kCap, 16});
    if (finish_ == Finish::kDrain) {
      EXPECT_EQ(pool_->drain(), 0U);
    }
    stop();
    EXPECT_EQ(pool_->drain(), 0U) << "what runs is told to stop and ends";
    const Counters counters = pool_->snapshot().counters;
    EXPECT_EQ(counters.accepted, ledger_.accepted);
    EXPECT_EQ(counters.ended(), counters.accepted) << "I4";
    EXPECT_EQ(ledger_.ended, ledger_.to_be_told) << "I4";
    pool_.reset();
    EXPECT_EQ(ledger_.ended, ledger_.to_be_told) << "I4";
    EXPECT_EQ(ledger_.ended_twice, 0U) << "I4";
    EXPECT_EQ(ledger_.started_after_stop, 0U) << "I7";
    EXPECT_EQ(ledger_.not_told_of_stop, 0U) << "a job that is taken before a stop sees its token fired after it";
    EXPECT_EQ(ledger_.ran_though_never_started, 0U) << "I4";
    EXPECT_EQ(ledger_.over_the_cap, 0U) << "I1, I6";
    EXPECT_EQ(ledger_.bodies, 0);
    EXPECT_GT(ledger_.ran, 0U);
    happened.add(counters);
    happened.batches += ledger_.batches;
  }

  static Task task(std::shared_ptr<bool> ran) {
    return Task([ran = std::move(ran)](const JobContext& context) {
      if (ran) *ran = true;
      for (int i = 0; i < 20 && !context.stop.stop_requested(); ++i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
    });
  }

  std::uint64_t seed_;
  Finish finish_;
  Ledger ledger_;
  std::atomic<int> luck_{0};
  std::atomic<std::uint64_t> operations_{0};
  std::uint64_t end_early_at_ = 0;
  std::atomic<bool> leaving_{false};
  std::unique_ptr<TaskPool> pool_;
};

TEST(Stress, I1I2I4I6I7HoldUnderRandomOperations) {
  const std::uint64_t operations = from_environment("OPTIMUX_POOL_STRESS_OPERATIONS", 60'000);
  const std::uint64_t first_seed = from_environment("OPTIMUX_POOL_STRESS_SEED", 1);
  constexpr std::uint64_t kPerRound = 5'000;
  Happened happened;
  for (std::uint64_t done = 0, seed = first_seed; done < operations && !HasFailure(); done += kPerRound, ++seed) {
    SCOPED_TRACE("OPTIMUX_POOL_STRESS_SEED=" + std::to_string(seed));
    Round(seed).run(kPerRound, happened);
  }
  const Counters& counters = happened.counters;
  for (const std::uint64_t count : {counters.done, counters.failed, counters.cancelled, counters.expired,
                                    counters.refused_full, counters.refused_stopped, counters.workers_retired,
                                    counters.workers_crashed, counters.start_failures, happened.batches}) {
    EXPECT_GT(count, 0U) << "something never happened";
  }
}

}  // namespace
}  // namespace optimux::pool::testing
