#include "source/poll_reactor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "unit/source/descriptor_leaks.hpp"

namespace optimux::source {
namespace {

using std::chrono::milliseconds;

class PollReactorTest : public WithoutDescriptorLeaks {
 protected:
  using Pair = std::array<Descriptor, 2>;
  static Pair connected_pair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
  }
  void TearDown() override {
    reactor_.reset();
    expect_no_leaks();
  }

  std::unique_ptr<PollReactor> reactor_ = PollReactor::make().value();
  std::vector<std::string> events_;
};

TEST_F(PollReactorTest, RunsPostedTasksInTheirOrder) {
  for (const char* name : {"a", "b", "c"}) reactor_->post([this, name] { events_.push_back(name); });
  reactor_->stop();
  reactor_->run();
  EXPECT_EQ(events_, std::vector<std::string>({"a", "b", "c"}));
}

TEST_F(PollReactorTest, TakesTasksFromOtherThreadsAndFromTasks) {
  int count = 0;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) reactor_->post([&] { ++count; });
    reactor_->post([&] { reactor_->post([&] { reactor_->stop(); }); });
  });
  reactor_->run();
  other.join();
  EXPECT_EQ(count, 1000);
}

TEST_F(PollReactorTest, MayRunAgainAfterAStop) {
  reactor_->stop();
  reactor_->run();
  reactor_->post([this] { events_.push_back("second"); });
  reactor_->stop();
  reactor_->run();
  EXPECT_EQ(events_.size(), 1u);
}

TEST_F(PollReactorTest, FiresTimersInTheOrderOfTheirTimes) {
  reactor_->start_timer(milliseconds(3), [this] {
    events_.push_back("late");
    reactor_->stop();
  });
  reactor_->start_timer(milliseconds(1), [this] { events_.push_back("early"); });
  reactor_->start_timer(milliseconds(-5), [this] { events_.push_back("past"); });
  reactor_->run();
  EXPECT_EQ(events_, std::vector<std::string>({"past", "early", "late"}));
}

TEST_F(PollReactorTest, ACancelledTimerDoesNotFire) {
  const auto doomed = reactor_->start_timer(milliseconds(0), [this] { events_.push_back("doomed"); });
  EXPECT_NE(doomed, 0u);
  reactor_->cancel_timer(doomed);
  reactor_->cancel_timer(doomed);
  reactor_->cancel_timer(12345);
  reactor_->start_timer(milliseconds(1), [this] { reactor_->stop(); });
  reactor_->run();
  EXPECT_TRUE(events_.empty());
}

TEST_F(PollReactorTest, ATimerMayCancelOneThatIsDueToo) {
  Reactor::TimerId second = 0;
  reactor_->start_timer(milliseconds(0), [&] {
    reactor_->cancel_timer(second);
    reactor_->stop();
  });
  second = reactor_->start_timer(milliseconds(0), [this] { events_.push_back("second"); });
  reactor_->run();
  EXPECT_TRUE(events_.empty());
}

TEST_F(PollReactorTest, TellsWhatADescriptorIsReadyFor) {
  const Pair pair = connected_pair();
  unsigned first = 0;
  reactor_->watch(pair[0].get(), Reactor::kRead | Reactor::kWrite, [&](unsigned ready) {
    first = ready;
    reactor_->watch(pair[0].get(), Reactor::kRead, [&](unsigned now) {
      events_.push_back(now == Reactor::kRead ? "readable" : "odd");
      reactor_->watch(pair[0].get(), Reactor::kNone, {});
      reactor_->stop();
    });
    EXPECT_EQ(::write(pair[1].get(), "x", 1), 1);
  });
  reactor_->run();
  EXPECT_EQ(first, static_cast<unsigned>(Reactor::kWrite));
  EXPECT_EQ(events_, std::vector<std::string>({"readable"}));
}

TEST_F(PollReactorTest, CallsAgainForAsLongAsItIsReady) {
  const Pair pair = connected_pair();
  ASSERT_EQ(::write(pair[1].get(), "x", 1), 1);
  reactor_->watch(pair[0].get(), Reactor::kRead, [this](unsigned) {
    events_.push_back("ready");
    if (events_.size() == 3) reactor_->stop();
  });
  reactor_->run();
  EXPECT_EQ(events_.size(), 3u);
}

TEST_F(PollReactorTest, AHangUpCountsAsReadyForAllThatIsWatched) {
  Pair pair = connected_pair();
  pair[1].reset();
  unsigned seen = 0;
  reactor_->watch(pair[0].get(), Reactor::kWrite, [&](unsigned ready) {
    seen = ready;
    reactor_->watch(pair[0].get(), Reactor::kNone, {});
    reactor_->stop();
  });
  reactor_->run();
  EXPECT_EQ(seen, static_cast<unsigned>(Reactor::kWrite));
}

TEST_F(PollReactorTest, AWatchThatAnotherCallbackDroppedIsNotCalled) {
  const Pair one = connected_pair();
  const Pair two = connected_pair();
  ASSERT_EQ(::write(one[1].get(), "x", 1), 1);
  ASSERT_EQ(::write(two[1].get(), "x", 1), 1);
  for (const Pair* pair : {&one, &two}) {
    reactor_->watch((*pair)[0].get(), Reactor::kRead, [&](unsigned) {
      events_.push_back("called");
      reactor_->watch(one[0].get(), Reactor::kNone, {});
      reactor_->watch(two[0].get(), Reactor::kNone, {});
      reactor_->stop();
    });
  }
  reactor_->run();
  EXPECT_EQ(events_.size(), 1u);
}

TEST_F(PollReactorTest, ADescriptorNumberUsedAgainIsNotTakenForTheOldOne) {
  Pair one = connected_pair();
  Pair two = connected_pair();
  ASSERT_EQ(::write(one[1].get(), "x", 1), 1);
  ASSERT_EQ(::write(two[1].get(), "x", 1), 1);
  const Pair fresh = connected_pair();
  // Whichever comes first replaces the other's descriptor by one with nothing to read, under the same number.
  const auto replace = [&](const Descriptor& other) {
    events_.push_back("called");
    reactor_->watch(other.get(), Reactor::kNone, {});
    ASSERT_GE(::dup3(fresh[0].get(), other.get(), O_CLOEXEC), 0);
    reactor_->watch(other.get(), Reactor::kRead, [this](unsigned) { events_.push_back("stale"); });
    reactor_->stop();
  };
  reactor_->watch(one[0].get(), Reactor::kRead, [&](unsigned) { replace(two[0]); });
  reactor_->watch(two[0].get(), Reactor::kRead, [&](unsigned) { replace(one[0]); });
  reactor_->run();
  EXPECT_EQ(events_, std::vector<std::string>({"called"}));
}

TEST_F(PollReactorTest, ReleasesTasksThatNeverRan) {
  auto token = std::make_shared<int>(1);
  reactor_->post([token] {});
  reactor_->start_timer(milliseconds(1), [token] {});
  reactor_.reset();
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(PollReactorTest, CannotBeMadeWithoutADescriptor) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto reactor = PollReactor::make();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(reactor);
  EXPECT_EQ(reactor.error().code, base::ErrorCode::kInternal);
}

}  // namespace
}  // namespace optimux::source
