#include "source/pending_fetches.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "unit/source/manual_reactor.hpp"

namespace optimux::source {
namespace {

using base::Deadline;
using base::ErrorCode;

class PendingFetchesTest : public ::testing::Test {
 protected:
  ~PendingFetchesTest() override { pending_->close(); }

  PendingFetches::Id add(Deadline deadline = {}, std::stop_token stop = {}) {
    return pending_->add([this](auto result) { log(result ? "ok" : std::string(name_of(result.error().code))); },
                         deadline, std::move(stop), [this](PendingFetches::Id) { log("release"); });
  }
  void log(const std::string& event) { events_.push_back(event); }
  static FetchedSource source() { return FetchedSource{std::make_shared<const base::ByteBuffer>(), {}}; }

  using Events = std::vector<std::string>;
  ManualReactor reactor_;
  std::shared_ptr<PendingFetches> pending_ = std::make_shared<PendingFetches>(reactor_);
  Events events_;
};

TEST_F(PendingFetchesTest, DeliversTheResultThroughTheLoop) {
  const auto id = add();
  pending_->finish(id, source());
  EXPECT_TRUE(events_.empty());
  EXPECT_TRUE(pending_->contains(id));
  reactor_.run_posted();
  EXPECT_EQ(events_, Events({"release", "ok"}));
  EXPECT_FALSE(pending_->contains(id));
}

TEST_F(PendingFetchesTest, DeliversOnlyTheFirstResult) {
  const auto id = add();
  pending_->finish(id, base::fail(ErrorCode::kNotFound, ""));
  pending_->finish(id, source());
  reactor_.run_posted();
  EXPECT_EQ(events_, Events({"release", "not_found"}));
}

TEST_F(PendingFetchesTest, AStopEndsTheFetchAndItsWork) {
  std::stop_source stop;
  const auto id = add({}, stop.get_token());
  stop.request_stop();
  EXPECT_TRUE(events_.empty());
  reactor_.run_posted();
  EXPECT_EQ(events_, Events({"release", "cancelled"}));
  pending_->finish(id, source());
  reactor_.run_posted();
  EXPECT_EQ(events_.size(), 2u);
}

TEST_F(PendingFetchesTest, AStopBeforeTheStartEndsTheFetchLater) {
  std::stop_source stop;
  stop.request_stop();
  add({}, stop.get_token());
  EXPECT_TRUE(events_.empty());
  reactor_.run_posted();
  EXPECT_EQ(events_, Events({"release", "cancelled"}));
}

TEST_F(PendingFetchesTest, AStopAfterTheEndDoesNothing) {
  std::stop_source stop;
  pending_->finish(add({}, stop.get_token()), source());
  reactor_.run_posted();
  stop.request_stop();
  reactor_.run_posted();
  EXPECT_EQ(events_, Events({"release", "ok"}));
}

TEST_F(PendingFetchesTest, ThePassedDeadlineEndsTheFetchAndItsWork) {
  add(Deadline(Deadline::Clock::now()));
  reactor_.run_posted();
  EXPECT_TRUE(events_.empty());
  reactor_.fire_timers();
  EXPECT_EQ(events_, Events({"release", "deadline_exceeded"}));
}

TEST_F(PendingFetchesTest, ATimerThatFiresEarlyIsStartedAgain) {
  add(Deadline::after(std::chrono::hours(48)));
  reactor_.run_posted();
  reactor_.fire_timers();
  EXPECT_TRUE(events_.empty());
  EXPECT_EQ(reactor_.timer_count(), 1u);
}

TEST_F(PendingFetchesTest, TheEndReleasesTheTimer) {
  const auto id = add(Deadline::after(std::chrono::hours(1)));
  reactor_.run_posted();
  EXPECT_EQ(reactor_.timer_count(), 1u);
  pending_->finish(id, source());
  reactor_.run_posted();
  EXPECT_EQ(reactor_.timer_count(), 0u);
}

TEST_F(PendingFetchesTest, CloseEndsAllAtOnceAndLateResultsFindNobody) {
  const auto first = add(Deadline::after(std::chrono::hours(1)));
  add();
  reactor_.run_posted();
  pending_->finish(first, source());  // Posted, but not delivered before the end.
  pending_->close();
  EXPECT_EQ(events_, Events({"release", "shutting_down", "release", "shutting_down"}));
  EXPECT_EQ(reactor_.timer_count(), 0u);
  reactor_.run_posted();
  pending_->finish(first, source());
  EXPECT_EQ(events_.size(), 4u);
}

TEST_F(PendingFetchesTest, ACallbackMayStartTheNextFetch) {
  pending_->finish(
      pending_->add([this](auto) { pending_->finish(add(), source()); }, {}, {}, [](PendingFetches::Id) {}), source());
  reactor_.run_posted();
  EXPECT_EQ(events_, Events({"release", "ok"}));
}

TEST_F(PendingFetchesTest, ResultStopAndEndMayComeFromThreeThreadsAtOnce) {
  for (int round = 0; round < 200; ++round) {
    events_.clear();
    std::stop_source stop;
    const auto id = add({}, stop.get_token());
    std::thread stopper([&] { stop.request_stop(); });
    std::thread finisher([&] { pending_->finish(id, source()); });
    reactor_.run_posted();
    stopper.join();
    finisher.join();
    reactor_.run_posted();
    ASSERT_FALSE(events_.empty());
    ASSERT_TRUE(events_ == Events({"release", "ok"}) || events_ == Events({"release", "cancelled"}));
  }
}

TEST_F(PendingFetchesTest, WhoComesAfterTheEndIsToldAtOnce) {
  pending_->close();
  const auto id = pending_->add_unless_closed([this](auto result) { log(std::string(name_of(result.error().code))); },
                                              {}, {}, [this](PendingFetches::Id) { log("release"); });
  EXPECT_EQ(id, 0u);
  EXPECT_EQ(events_, Events{"shutting_down"});
  EXPECT_FALSE(pending_->contains(id));
}

TEST_F(PendingFetchesTest, TasksRunInTheLoopUntilTheEnd) {
  pending_->run_in_loop([this] { log("first"); });
  EXPECT_TRUE(events_.empty());
  reactor_.run_posted();
  pending_->run_in_loop([this] { log("second"); });
  pending_->close();
  pending_->run_in_loop([this] { log("third"); });
  reactor_.run_posted();
  EXPECT_EQ(events_, Events{"first"});
}

}  // namespace
}  // namespace optimux::source
