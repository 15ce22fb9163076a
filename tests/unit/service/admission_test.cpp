// Who is let in, how long it may take, and what happens when the service is told to stop.
#include <atomic>
#include <future>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/service/service_fixture.hpp"

namespace optimux::service {
namespace {

using base::Deadline;
using base::ErrorCode;
using doubles::read;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class AdmissionTest : public ServiceFixture {
 protected:
  /// Blocks until the body has failed.
  static void wait_for_end(OpenedRendition& opened) {
    while (!opened.rendition->body()->is_finished()) {
      std::promise<void> woken;
      if (opened.reader.wait([&] { woken.set_value(); })) woken.get_future().get();
    }
  }
};

TEST_F(AdmissionTest, AFullQueueIsOverload) {
  pool.refuse_submission(1);
  auto first = open();
  auto second = open();
  source.answer();
  EXPECT_EQ(error_of(first), ErrorCode::kOverloaded);
  EXPECT_EQ(error_of(second), ErrorCode::kOverloaded);
  EXPECT_EQ(service->figures().refused, 2U) << "two requests were refused, with one job";
  expect_works();
}

TEST_F(AdmissionTest, AWaitThatOutlastsTheDeadlineIsOverloadBeforeTheFetch) {
  pool.set_expected_wait(seconds(8));
  const auto opened = open(spec(), Deadline::after(seconds(15)));
  EXPECT_EQ(error_of(opened), ErrorCode::kOverloaded);
  EXPECT_EQ(source.fetches(), 0);
  EXPECT_EQ(service->figures().refused, 1U);
}

TEST_F(AdmissionTest, NearTheLimitOfMemoryNothingIsBegunAndCachesAreHalved) {
  for (const char* name : {"a", "b", "c", "d"}) {
    auto opened = open(spec({{10, 0}}, name));
    finish();
  }
  EXPECT_FALSE(service->is_short_of_memory());
  ASSERT_EQ(service->figures().cache_entries, 4U);
  ServiceLimits limits;
  limits.memory_limit = 1;
  service->set_limits(limits);
  const auto refused = open(spec({{10, 0}}, "e"));
  EXPECT_EQ(error_of(refused), ErrorCode::kOverloaded);
  EXPECT_EQ(refused.rendition->body()->error()->detail, "the memory is used up; see Retry-After");
  EXPECT_EQ(source.fetches(), 4) << "nothing was fetched for it";
  EXPECT_EQ(service->figures().cache_entries, 2U);
  EXPECT_TRUE(service->is_short_of_memory());
  EXPECT_EQ(open(spec({{10, 0}}, "d")).outcome, CacheOutcome::kHit) << "what there is costs nothing";
  service->set_limits({});
  expect_works();
}

TEST_F(AdmissionTest, AHitIsServedUnderOverload) {
  auto first = open();
  finish();
  pool.set_expected_wait(seconds(30));
  EXPECT_EQ(open(spec(), Deadline::after(seconds(15))).outcome, CacheOutcome::kHit);
}

TEST_F(AdmissionTest, APassedDeadlineFetchesNothing) {
  const auto opened = open(spec(), Deadline(Deadline::Clock::now()));
  EXPECT_EQ(error_of(opened), ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(source.fetches(), 0);
}

TEST_F(AdmissionTest, ADeadlineEndsAFetch) {
  auto opened = open(spec(), Deadline::after(milliseconds(20)));
  wait_for_end(opened);
  EXPECT_EQ(error_of(opened), ErrorCode::kDeadlineExceeded);
  service->drain();
  source.answer();
  EXPECT_EQ(pool.submissions(), 0);
}

TEST_F(AdmissionTest, ADeadlineEndsAQueuedJob) {
  auto opened = open(spec(), Deadline::after(milliseconds(20)));
  source.answer();
  wait_for_end(opened);
  EXPECT_EQ(error_of(opened), ErrorCode::kDeadlineExceeded);
  while (pool.waiting() > 0) std::this_thread::yield();  // the watch's thread drops it a moment after the failure
  EXPECT_EQ(executor.inspections(), 0);
}

TEST_F(AdmissionTest, ADeadlineStopsARender) {
  auto opened = open(spec(), Deadline::after(milliseconds(20)));
  executor.during_render = [&](std::size_t, const media::OperationControl& control) {
    std::promise<void> stopped;
    std::stop_callback on_stop(control.stop, [&] { stopped.set_value(); });
    stopped.get_future().get();
  };
  source.answer();
  pool.run_all();
  // A machine that stands still for 20 ms ends the job before it is run, which is right as well.
  wait_for_end(opened);
  EXPECT_EQ(error_of(opened), ErrorCode::kDeadlineExceeded);
}

TEST_F(AdmissionTest, ALaterDeadlineOfAJoinerKeepsTheJob) {
  OpenedRendition first, patient;
  do {  // once, unless the machine stands still between the two for as long as the first deadline
    first = open(spec(), Deadline::after(milliseconds(20)));
    patient = open(spec(), Deadline::after(hours(1)));
  } while (patient.outcome != CacheOutcome::kJoined);
  // Deadlines are watched in their order: when a later one has ended its job, the first has been looked at.
  auto witness = open(spec({{99, 0}}), Deadline::after(milliseconds(20)));
  wait_for_end(witness);
  EXPECT_FALSE(first.rendition->body()->is_finished()) << "the deadline of the first has passed, and moved";
  finish();
  EXPECT_EQ(read(patient.reader), "picture@10x0q0");
}

TEST_F(AdmissionTest, AnEarlierDeadlineOfAJoinerDoesNotShortenTheJob) {
  auto first = open(spec(), Deadline::after(hours(1)));
  auto hasty = open(spec(), Deadline::after(milliseconds(1)));
  auto witness = open(spec({{99, 0}}), Deadline::after(milliseconds(10)));
  wait_for_end(witness);
  hasty.reader = {};
  finish();
  EXPECT_EQ(read(first.reader), "picture@10x0q0");
}

TEST_F(AdmissionTest, AnExpiredJobWithALaterJoinerIsQueuedAgain) {
  auto first = open(spec(), Deadline::after(hours(1)));
  source.answer();
  auto patient = open(spec(), Deadline::after(hours(2)));
  pool.drop_next(JobPool::Refusal::kExpired);
  EXPECT_EQ(pool.submissions(), 2);
  finish();
  EXPECT_EQ(read(first.reader), "picture@10x0q0");
}

TEST_F(AdmissionTest, APoolThatStopsIsAShutdown) {
  const auto opened = open();
  source.answer();
  pool.drop_next(JobPool::Refusal::kStopped);
  EXPECT_EQ(error_of(opened), ErrorCode::kShuttingDown);
}

TEST_F(AdmissionTest, RendersWaitForMemoryWithoutAWorker) {
  restart({.decoded_bytes = 150});
  auto first = open(spec({{1, 0}}));
  auto second = open(spec({{2, 0}}));
  source.answer();
  executor.during_render = [this](std::size_t, const media::OperationControl&) {
    executor.during_render = nullptr;
    EXPECT_EQ(service->figures().decoded_bytes_in_use, 100U);
    EXPECT_TRUE(pool.run_next()) << "the second is inspected";
    EXPECT_EQ(executor.renders(), 1);
    EXPECT_EQ(pool.waiting(), 0U);
  };
  pool.run_next();
  EXPECT_EQ(pool.waiting(), 1U) << "the memory of the first goes to the second, which queues again";
  finish();
  EXPECT_EQ(read(first.reader), "picture@1x0q0");
  EXPECT_EQ(read(second.reader), "picture@2x0q0");
}

TEST_F(AdmissionTest, OneWhoWaitsForMemoryMayLeave) {
  restart({.decoded_bytes = 150});
  auto first = open(spec({{1, 0}}));
  auto second = open(spec({{2, 0}}));
  source.answer();
  executor.during_render = [&](std::size_t, const media::OperationControl&) {
    executor.during_render = nullptr;
    pool.run_next();
    second.reader = {};
  };
  finish();
  EXPECT_EQ(executor.renders(), 1);
  EXPECT_EQ(read(first.reader), "picture@1x0q0");
}

TEST_F(AdmissionTest, AFullQueueAfterTheWaitForMemoryIsOverload) {
  restart({.decoded_bytes = 150});
  auto first = open(spec({{1, 0}}));
  auto second = open(spec({{2, 0}}));
  auto third = open(spec({{3, 0}}));
  pool.refuse_submission(4);
  source.answer();
  executor.during_render = [&](std::size_t, const media::OperationControl&) {
    executor.during_render = nullptr;
    pool.run_next();
    pool.run_next();
  };
  finish();
  EXPECT_EQ(error_of(second), ErrorCode::kOverloaded);
  EXPECT_EQ(read(third.reader), "picture@3x0q0") << "the memory was passed on";
}

TEST_F(AdmissionTest, SourcesThatWaitForAWorkerAreBounded) {
  restart({.source_bytes = 10});
  auto first = open(spec({{1, 0}}, "a.jpg"));
  auto second = open(spec({{1, 0}}, "b.jpg"));
  source.answer("seven b");
  source.answer("seven b");
  EXPECT_EQ(error_of(second), ErrorCode::kOverloaded);
  EXPECT_EQ(service->figures().source_bytes_in_use, 7U);
  finish();
  EXPECT_EQ(read(first.reader), "seven b@1x0q0");
  expect_works();
}

TEST_F(AdmissionTest, APictureLargerThanTheWholeBudgetIsOverTheLimit) {
  restart({.decoded_bytes = 99});
  const auto opened = open();
  finish();
  EXPECT_EQ(error_of(opened), ErrorCode::kLimitExceeded);
  EXPECT_THAT(opened.rendition->body()->error()->detail, HasSubstr("decoded_bytes"));
}

TEST_F(AdmissionTest, ABudgetMadeSmallerRefusesWhoCannotFit) {
  restart({.decoded_bytes = 150});
  auto first = open(spec({{1, 0}}));
  auto second = open(spec({{2, 0}}));
  source.answer();
  executor.during_render = [&](std::size_t, const media::OperationControl&) {
    executor.during_render = nullptr;
    pool.run_next();
    service->set_limits({.decoded_bytes = 99});
  };
  finish();
  EXPECT_EQ(error_of(second), ErrorCode::kLimitExceeded);
  EXPECT_EQ(read(first.reader), "picture@1x0q0");
}

TEST_F(AdmissionTest, ASmallerCacheShrinksAtOnce) {
  auto opened = open();
  finish();
  EXPECT_EQ(service->figures().cache_entries, 1U);
  service->set_limits({.memory_cache_bytes = 0});
  EXPECT_EQ(service->figures().cache_entries, 0U);
}

TEST_F(AdmissionTest, FailedSourcesAreRememberedForAWhile) {
  restart({.negative_cache = hours(1)});
  const auto first = open(remote());
  source.fail(ErrorCode::kNotFound, "no such picture");
  const auto second = open(remote({{99, 0}}));
  EXPECT_EQ(error_of(second), ErrorCode::kNotFound);
  EXPECT_EQ(second.rendition->body()->error()->detail, "no such picture");
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_EQ(service->figures().negative_cache_hits, 1U);
  service->set_limits({.negative_cache = hours(0)});
  const auto third = open(remote());
  EXPECT_EQ(source.fetches(), 2);
  source.answer();
  pool.run_all();
}

TEST_F(AdmissionTest, DrainingServesWhatIsThereAndStartsNothing) {
  auto cached = open(spec({{1, 0}}));
  finish();
  auto running = open(spec({{2, 0}}));
  service->drain();
  EXPECT_EQ(open(spec({{1, 0}})).outcome, CacheOutcome::kHit);
  EXPECT_EQ(error_of(open(spec({{3, 0}}))), ErrorCode::kShuttingDown);
  auto joined = open(spec({{2, 0}}));
  EXPECT_EQ(joined.outcome, CacheOutcome::kJoined);
  finish();
  EXPECT_EQ(read(running.reader), "picture@2x0q0");
  EXPECT_EQ(read(joined.reader), "picture@2x0q0");
}

TEST_F(AdmissionTest, DestructionFailsWhatIsInTheMaking) {
  auto fetching = open(spec({{1, 0}}, "a.jpg"));
  auto queued = open(spec({{2, 0}}, "b.jpg"));
  // The fetch of a.jpg is the older one, so b.jpg stays in the source's hands: end the first instead.
  source.answer();
  EXPECT_EQ(pool.waiting(), 1U);
  service.reset();
  EXPECT_EQ(error_of(fetching), ErrorCode::kShuttingDown);
  EXPECT_EQ(error_of(queued), ErrorCode::kShuttingDown);
  EXPECT_EQ(pool.waiting(), 0U);
  EXPECT_TRUE(source.is_cancelled());
  source.answer();  // after the service has gone
}

TEST_F(AdmissionTest, DestructionWaitsForARunningRender) {
  auto opened = open();
  source.answer();
  std::promise<void> started;
  std::atomic<bool> has_returned = false;
  executor.during_render = [&](std::size_t, const media::OperationControl& control) {
    std::promise<void> stopped;
    std::stop_callback on_stop(control.stop, [&] { stopped.set_value(); });
    started.set_value();
    stopped.get_future().get();
    has_returned = true;
  };
  std::jthread worker([this] { pool.run_next(); });
  started.get_future().get();
  service.reset();
  EXPECT_TRUE(has_returned);
  EXPECT_EQ(error_of(opened), ErrorCode::kShuttingDown);
}

}  // namespace
}  // namespace optimux::service
