// The loop: what it runs, when, and on which thread. Time stands still but where a test moves it.

#include "optimux/pool/event_loop.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <cstdio>
#include <latch>
#include <mutex>
#include <set>

namespace optimux::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Two connected sockets.
struct Pair {
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(std::exchange(ends[end], -1));
  }
  void write() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  [[nodiscard]] int read_end() const { return ends[0]; }
  std::array<int, 2> ends{-1, -1};
};

/// A loop that the test runs itself, under a clock that the test moves.
class ManualLoop : public ::testing::Test {
 protected:
  void turn() {
    while (loop_->turn() > 0) {
    }
  }
  void advance(Duration step) {
    clock_->advance(step);
    turn();
  }
  Task<> sleep(Duration duration, std::stop_token stop = {}) {
    slept_ = co_await loop_->sleep_for(duration, std::move(stop));
    ++ended_;
  }
  Task<> read(int descriptor, TimePoint deadline = kNever, std::stop_token stop = {}) {
    waited_ = co_await loop_->readable(descriptor, deadline, std::move(stop));
    ++ended_;
  }
  void start(Task<> task) {
    loop_->spawn(std::move(task));
    turn();
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::unique_ptr<EventLoop> loop_ = *EventLoop::make({.clock = clock_, .own_threads = false});
  int ended_ = 0;
  bool slept_ = false;
  Waited waited_ = Waited::kFailed;
};

TEST_F(ManualLoop, ASleepEndsAtItsMoment) {
  bool slept = false;
  const auto sleeper = [&]() -> Task<> { slept = co_await loop_->sleep_for(milliseconds(5)); };
  start(sleeper());
  advance(milliseconds(5) - Duration(1));
  EXPECT_FALSE(slept);
  advance(Duration(1));
  EXPECT_TRUE(slept);
}

TEST_F(ManualLoop, SleepsEndInTheOrderOfTheirMoments) {
  std::vector<int> order;
  const auto sleeper = [&](int number, Duration duration) -> Task<> {
    co_await loop_->sleep_for(duration);
    order.push_back(number);
  };
  start(sleeper(3, seconds(300)));
  start(sleeper(1, milliseconds(1)));
  start(sleeper(2, seconds(1)));
  for (int i = 0; i < 3; ++i) advance(seconds(i == 2 ? 400 : i));
  advance(seconds(1));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST_F(ManualLoop, AStopTokenCutsASleepShort) {
  std::stop_source source;
  start(sleep(seconds(9), source.get_token()));
  source.request_stop();
  EXPECT_EQ(ended_, 0) << "it ends on its loop, not inside request_stop";
  turn();
  EXPECT_EQ(ended_, 1);
  EXPECT_FALSE(slept_);
}

TEST_F(ManualLoop, AStopTokenThatHasFiredEndsTheSleepAtOnce) {
  std::stop_source source;
  source.request_stop();
  start(sleep(seconds(9), source.get_token()));
  EXPECT_EQ(ended_, 1);
  EXPECT_FALSE(slept_);
}

TEST_F(ManualLoop, ATokenThatFiresAsTheSleepEndsDoesNotEndItTwice) {
  std::stop_source source;
  start(sleep(seconds(1), source.get_token()));
  // Both in one turn: the timer is due, and a coroutine that runs before it fires the token.
  loop_->post([&] { source.request_stop(); });
  advance(seconds(1));
  EXPECT_EQ(ended_, 1);
  start(sleep(seconds(1), source.get_token()));
  EXPECT_EQ(ended_, 2);
}

TEST_F(ManualLoop, TokenFirstThenTimerEndsOnceToo) {
  std::stop_source source;
  start(sleep(seconds(1), source.get_token()));
  source.request_stop();
  advance(seconds(1));
  EXPECT_EQ(ended_, 1);
}

TEST_F(ManualLoop, ADescriptorThatBecomesReadableEndsTheWait) {
  const Pair pair;
  start(read(pair.read_end()));
  EXPECT_EQ(ended_, 0);
  pair.write();
  turn();
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(waited_, Waited::kReady);
  start(read(pair.read_end()));  // nobody has read it: ready at once, with the registration of before
  EXPECT_EQ(ended_, 2);
}

TEST_F(ManualLoop, TheOtherEndGoingAwayIsReadiness) {
  Pair pair;
  start(read(pair.read_end()));
  pair.close_end(1);
  turn();
  EXPECT_EQ(waited_, Waited::kReady);
}

TEST_F(ManualLoop, AWaitForADescriptorEndsAtItsDeadline) {
  const Pair pair;
  start(read(pair.read_end(), clock_->now() + seconds(1)));
  advance(seconds(1) - Duration(1));
  EXPECT_EQ(ended_, 0);
  advance(Duration(1));
  EXPECT_EQ(waited_, Waited::kTimeout);
  pair.write();
  turn();
  EXPECT_EQ(ended_, 1);
}

TEST_F(ManualLoop, AStopTokenEndsAWaitForADescriptor) {
  const Pair pair;
  std::stop_source source;
  start(read(pair.read_end(), kNever, source.get_token()));
  source.request_stop();
  turn();
  EXPECT_EQ(waited_, Waited::kCancelled);
  start(read(pair.read_end()));
  EXPECT_EQ(ended_, 1) << "the descriptor can be waited for again";
  pair.write();
  turn();
  EXPECT_EQ(waited_, Waited::kReady);
}

TEST_F(ManualLoop, ReadingAndWritingAreWaitedForApart) {
  const Pair pair;
  Waited written = Waited::kFailed;
  const auto writer = [&]() -> Task<> { written = co_await loop_->writable(pair.read_end()); };
  start(read(pair.read_end()));
  start(writer());
  EXPECT_EQ(written, Waited::kReady);
  EXPECT_EQ(ended_, 0) << "the reader waits on";
  pair.write();
  turn();
  EXPECT_EQ(ended_, 1);
}

TEST_F(ManualLoop, WhatCannotBeWatchedFails) {
  std::FILE* file = std::tmpfile();
  start(read(::fileno(file)));
  EXPECT_EQ(waited_, Waited::kFailed) << "a regular file";
  std::fclose(file);
  waited_ = Waited::kReady;
  start(read(1'000'000));
  EXPECT_EQ(waited_, Waited::kFailed) << "not open";
  const Pair pair;
  start(read(pair.read_end()));
  start(read(pair.read_end()));
  EXPECT_EQ(waited_, Waited::kFailed) << "somebody waits for it already";
  EXPECT_EQ(ended_, 3);
  pair.write();
  turn();
  EXPECT_EQ(ended_, 4);
}

TEST_F(ManualLoop, StopCutsEveryWaitShort) {
  const Pair pair;
  start(sleep(seconds(9)));
  start(read(pair.read_end()));
  start(read(1'000'000));
  EXPECT_EQ(ended_, 1);
  loop_->stop();
  turn();
  EXPECT_EQ(ended_, 3);
  EXPECT_FALSE(slept_);
  EXPECT_EQ(waited_, Waited::kCancelled);
  start(sleep(seconds(9)));
  start(read(pair.read_end()));
  EXPECT_EQ(ended_, 5) << "also those that begin afterwards";
  EXPECT_TRUE(loop_->stopping());
}

TEST_F(ManualLoop, StopEndsAWaitOnceThatHasADescriptorAndADeadline) {
  const Pair pair;
  start(read(pair.read_end(), clock_->now() + seconds(9)));
  loop_->stop();
  turn();
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(waited_, Waited::kCancelled);
  start(read(pair.read_end(), clock_->now() + seconds(9)));
  EXPECT_EQ(ended_, 2) << "also one that begins afterwards";
  EXPECT_EQ(waited_, Waited::kCancelled);
}

TEST_F(ManualLoop, ADeadlineThatComesWithTheStopEndsTheWaitOnce) {
  const Pair pair;
  start(read(pair.read_end(), clock_->now() + seconds(9)));
  loop_->stop();
  advance(seconds(9));
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(waited_, Waited::kTimeout);
}

TEST_F(ManualLoop, WhatIsPostedRunsInOrder) {
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) loop_->post([&, i] { order.push_back(i); });
  loop_->post([&] { loop_->post([&] { order.push_back(9); }); });
  EXPECT_TRUE(order.empty());
  turn();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 9}));
}

TEST_F(ManualLoop, DestructionLetsTasksEnd) {
  start(sleep(seconds(9)));
  loop_->post([&] { ended_ += 10; });
  loop_.reset();
  EXPECT_EQ(ended_, 11);
}

TEST(EventLoop, RefusesWrongSettingsByName) {
  EXPECT_EQ(EventLoop::make({.threads = 0}).error().field, "threads");
  EXPECT_EQ(EventLoop::make({.threads = 2, .own_threads = false}).error().field, "threads");
  EXPECT_EQ(EventLoop::make({.clock = nullptr}).error().field, "clock");
}

TEST(EventLoop, TasksAreSpreadOverItsThreadsAndStayThere) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<int> numbers;
  std::atomic<int> strayed{0};
  std::latch ended(8);
  auto loop = *EventLoop::make({.threads = 2, .on_thread_start = [&](int number) {
                                  const std::lock_guard lock(mutex);
                                  numbers.insert(number);
                                }});
  const auto task = [&]() -> Task<> {
    const std::thread::id before = std::this_thread::get_id();
    for (int i = 0; i < 3; ++i) co_await loop->sleep_for(std::chrono::microseconds(50));
    if (std::this_thread::get_id() != before) ++strayed;
    {
      const std::lock_guard lock(mutex);
      threads.insert(before);
    }
    ended.count_down();
  };
  for (int i = 0; i < 8; ++i) loop->spawn(task());
  ended.wait();
  EXPECT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0U);
  EXPECT_EQ(strayed, 0);
  EXPECT_EQ(numbers, (std::set<int>{0, 1}));
}

TEST(EventLoop, ASleepingThreadIsWokenByAPostAndAnAwakeOneFindsIt) {
  auto loop = *EventLoop::make();
  for (int i = 0; i < 2'000; ++i) {
    std::latch ran(1);
    loop->post([&] { ran.count_down(); });
    ran.wait();
  }
  std::atomic<int> ran{0};
  std::vector<std::thread> posters;
  for (int p = 0; p < 3; ++p) {
    posters.emplace_back([&] {
      for (int i = 0; i < 2'000; ++i) loop->post([&] { ++ran; });
    });
  }
  for (std::thread& poster : posters) poster.join();
  loop.reset();
  EXPECT_EQ(ran, 6'000);
}

// From a thread that is no loop's: the coroutine goes on on one of the loop's.
TEST(EventLoop, AWaitThatBeginsElsewhereEndsOnTheLoop) {
  auto loop = *EventLoop::make();
  std::stop_source source;
  std::latch ended(2);
  std::thread::id after;
  const auto sleeper = [&]() -> detail::Detached {
    co_await loop->sleep_for(std::chrono::microseconds(1));
    after = std::this_thread::get_id();
    ended.count_down();
  };
  const auto stopped = [&]() -> detail::Detached {
    co_await loop->sleep_for(seconds(1'000), source.get_token());
    ended.count_down();
  };
  sleeper();
  stopped();
  source.request_stop();
  ended.wait();
  EXPECT_NE(after, std::this_thread::get_id());
}

// Tokens that fire on another thread, just as the sleeps end.
TEST(EventLoop, TokensAndTimersRaceWithoutEndingASleepTwice) {
  auto owner = *EventLoop::make({.threads = 2});
  EventLoop& loop = *owner;  // tasks use it while its owner lets go of it
  constexpr int kSleeps = 2'000;
  std::atomic<int> ended{0};
  std::vector<std::stop_source> sources(kSleeps);
  const auto sleeper = [&](int i) -> Task<> {
    co_await loop.sleep_for(std::chrono::microseconds(i % 50), sources[static_cast<std::size_t>(i)].get_token());
    ++ended;
  };
  for (int i = 0; i < kSleeps; ++i) loop.spawn(sleeper(i));
  for (std::stop_source& source : sources) source.request_stop();
  owner.reset();
  EXPECT_EQ(ended, kSleeps);
}

TEST(EventLoop, DataBetweenTwoCoroutines) {
  auto loop = *EventLoop::make({.threads = 2});
  const Pair pair;
  constexpr int kBytes = 500;
  std::latch ended(2);
  int received = 0;
  const auto reader = [&]() -> Task<> {
    std::array<char, 16> buffer{};
    while (received < kBytes) {
      const ssize_t count = ::read(pair.ends[0], buffer.data(), buffer.size());
      if (count > 0) received += static_cast<int>(count);
      if (count < 0) co_await loop->readable(pair.ends[0]);
    }
    ended.count_down();
  };
  const auto writer = [&]() -> Task<> {
    for (int sent = 0; sent < kBytes;) {
      if (::write(pair.ends[1], "x", 1) == 1) {
        ++sent;
      } else {
        co_await loop->writable(pair.ends[1]);
      }
    }
    ended.count_down();
  };
  loop->spawn(reader());
  loop->spawn(writer());
  ended.wait();
  EXPECT_EQ(received, kBytes);
}

}  // namespace
}  // namespace optimux::pool
