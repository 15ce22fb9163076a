#include "server/event_loop.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/file_descriptor.hpp"

namespace optimux::server {
namespace {

using source::Reactor;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  void put() const { EXPECT_EQ(write(writer.get(), "x", 1), 1); }
  void take() const {
    char byte = 0;
    EXPECT_EQ(read(reader.get(), &byte, 1), 1);
  }
  FileDescriptor reader;
  FileDescriptor writer;
};

TEST(EventLoop, RunsWhatOtherThreadsPost) {
  EventLoop loop;
  int ran = 0;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) loop.post([&] { ++ran; });
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  EXPECT_EQ(ran, 100);
}

TEST(EventLoop, StopBeforeRunReturnsAtOnceAndOnlyOnce) {
  EventLoop loop;
  loop.stop();
  loop.run();
  loop.post([&] { loop.stop(); });
  loop.run();
}

TEST(EventLoop, WatchIsLevelTriggered) {
  EventLoop loop;
  const Pipe pipe;
  pipe.put();
  int calls = 0;
  loop.reactor().watch(pipe.reader.get(), Reactor::kRead, [&](unsigned ready) {
    EXPECT_EQ(ready, static_cast<unsigned>(Reactor::kRead));
    if (++calls < 3) return;  // The byte is still there, so the call comes again.
    loop.reactor().watch(pipe.reader.get(), Reactor::kNone, nullptr);
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(calls, 3);
}

TEST(EventLoop, ForgottenDescriptorsAreNotCalled) {
  EventLoop loop;
  const Pipe pipe;
  Reactor& reactor = loop.reactor();
  reactor.watch(pipe.reader.get(), Reactor::kRead, [](unsigned) { ADD_FAILURE(); });
  pipe.put();
  reactor.watch(pipe.reader.get(), Reactor::kNone, nullptr);
  reactor.watch(pipe.reader.get(), Reactor::kNone, nullptr);
  loop.run_ready();
  pipe.take();  // It was not closed either.
  bool was_called = false;
  reactor.watch(pipe.reader.get(), Reactor::kRead, [&](unsigned) {
    was_called = true;
    loop.stop();
  });
  pipe.put();
  loop.run();
  EXPECT_TRUE(was_called);
  reactor.watch(pipe.reader.get(), Reactor::kNone, nullptr);
}

TEST(EventLoop, InterestMayChange) {
  EventLoop loop;
  const Pipe pipe;
  Reactor& reactor = loop.reactor();
  reactor.watch(pipe.writer.get(), Reactor::kRead, [](unsigned) { ADD_FAILURE(); });
  reactor.watch(pipe.writer.get(), Reactor::kWrite, [&](unsigned ready) {
    EXPECT_EQ(ready, static_cast<unsigned>(Reactor::kWrite));
    loop.stop();
  });
  loop.run();
  reactor.watch(pipe.writer.get(), Reactor::kNone, nullptr);
}

TEST(EventLoop, HangUpCountsAsReady) {
  EventLoop loop;
  Pipe pipe;
  pipe.writer.close();
  loop.reactor().watch(pipe.reader.get(), Reactor::kRead, [&](unsigned) { loop.stop(); });
  loop.run();
  loop.reactor().watch(pipe.reader.get(), Reactor::kNone, nullptr);
}

TEST(EventLoop, TimersFireOnceInOrderAndCancelledOnesDoNot) {
  EventLoop loop;
  Reactor& reactor = loop.reactor();
  std::vector<int> fired;
  reactor.start_timer(std::chrono::milliseconds(3), [&] {
    fired.push_back(3);
    loop.stop();
  });
  reactor.start_timer(std::chrono::milliseconds(1), [&] { fired.push_back(1); });
  const auto cancelled = reactor.start_timer(std::chrono::milliseconds(2), [&] { fired.push_back(2); });
  EXPECT_NE(cancelled, 0u);
  reactor.cancel_timer(cancelled);
  reactor.cancel_timer(cancelled);
  reactor.cancel_timer(999);
  loop.run();
  EXPECT_EQ(fired, (std::vector<int>{1, 3}));
}

TEST(EventLoop, TimerCancelledByItsNeighbourDoesNotFire) {
  EventLoop loop;
  Reactor& reactor = loop.reactor();
  Reactor::TimerId second = 0;
  reactor.start_timer(std::chrono::milliseconds(0), [&] { reactor.cancel_timer(second); });
  second = reactor.start_timer(std::chrono::milliseconds(0), [] { ADD_FAILURE(); });
  reactor.start_timer(std::chrono::milliseconds(1), [&] { loop.stop(); });
  loop.run();
}

TEST(EventLoop, SignalsComeAsCalls) {
  EventLoop loop;
  int last = 0;
  loop.on_signals({SIGUSR1, SIGUSR2}, [&](int signal) {
    last = signal;
    if (signal == SIGUSR2) loop.stop();
    std::raise(SIGUSR2);
  });
  std::raise(SIGUSR1);
  loop.run();
  EXPECT_EQ(last, SIGUSR2);
  loop.on_signals({}, nullptr);
}

TEST(EventLoop, TasksThatNeverRanAreDropped) {
  auto token = std::make_shared<int>(0);
  {
    EventLoop loop;
    loop.post([token] { ADD_FAILURE(); });
    loop.reactor().start_timer(std::chrono::hours(1), [token] { ADD_FAILURE(); });
  }
  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace optimux::server
