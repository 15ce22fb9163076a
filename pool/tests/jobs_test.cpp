// What happens to jobs: acceptance, refusal, failure, expiry, cancellation (semantics 1, 7 and 8).

#include "support/tasks.hpp"

#include <array>
#include <atomic>
#include <stdexcept>

namespace optimux::pool::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Jobs : public ManualPool {
 protected:
  Task nothing() {
    return Task([](const JobContext&) {});
  }
  Task marking(std::atomic<bool>& ran) {
    return Task([&ran](const JobContext&) { ran = true; });
  }
};

TEST_F(Jobs, S7AJobThatThrowsFailsAloneAndItsSubmitterGetsTheError) {
  EndProbe first;
  EndProbe second;
  pool().try_submit(Task([](const JobContext&) { throw std::runtime_error("bad picture"); }),
                    {.on_end = first.callback()});
  pool().try_submit(nothing(), {.on_end = second.callback()});
  const JobEnd failed = first.wait();
  EXPECT_EQ(failed.outcome, Outcome::kFailed);
  try {
    std::rethrow_exception(failed.error);
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "bad picture");
  }
  const JobEnd done = second.wait();
  EXPECT_EQ(done.outcome, Outcome::kDone);
  EXPECT_EQ(done.worker, failed.worker) << "the worker goes on";
  EXPECT_EQ(pool().snapshot().counters.failed, 1U);
  EXPECT_EQ(pool().snapshot().counters.workers_crashed, 0U);
}

TEST_F(Jobs, S8AFullQueueRefusesAndLeavesTheJobAlone) {
  config_.queue_capacity = 1;
  occupy();
  EXPECT_EQ(pool().try_submit(nothing()), Answer::kAccepted);
  Task job = nothing();
  EndProbe probe;
  JobOptions options{.on_end = probe.callback()};
  EXPECT_EQ(pool().try_submit(std::move(job), std::move(options)), Answer::kFull);
  EXPECT_TRUE(job);             // NOLINT(bugprone-use-after-move): the promise that is tested
  EXPECT_TRUE(options.on_end);  // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(probe.has_ended());
  EXPECT_EQ(pool().snapshot().counters.refused_full, 1U);
}

TEST_F(Jobs, S8SubmitWaitsForAPlace) {
  config_.queue_capacity = 1;
  occupy();
  pool().try_submit(nothing());
  std::promise<Answer> answer;
  std::thread submitter([&] { answer.set_value(pool().submit(nothing())); });
  valve_.open();
  EXPECT_EQ(answer.get_future().get(), Answer::kAccepted);
  submitter.join();
  EXPECT_EQ(pool().drain(), 0U);
  EXPECT_EQ(pool().snapshot().counters.done, 3U);
}

TEST_F(Jobs, S8SubmitAnswersDeadlineWhenNoPlaceCameInTime) {
  config_.queue_capacity = 1;
  occupy();
  pool().try_submit(nothing());
  EXPECT_EQ(pool().submit(nothing(), {}, clock_->now()), Answer::kDeadline) << "time is up already";
  auto answer =
      std::async(std::launch::async, [&] { return pool().submit(nothing(), {}, clock_->now() + seconds(1)); });
  auto own = std::async(std::launch::async,
                        [&] { return pool().submit(nothing(), {.deadline = clock_->now() + seconds(1)}); });
  eventually([&] {
    clock_->advance(milliseconds(100));
    return answer.wait_for(seconds(0)) == std::future_status::ready &&
           own.wait_for(seconds(0)) == std::future_status::ready;
  });
  EXPECT_EQ(answer.get(), Answer::kDeadline);
  EXPECT_EQ(own.get(), Answer::kDeadline) << "the job's own deadline limits the wait";
  EXPECT_EQ(pool().snapshot().counters.refused_deadline, 3U);
}

TEST_F(Jobs, S8TheTokenOfAJobEndsTheWaitOfItsSubmitter) {
  config_.queue_capacity = 1;
  occupy();
  pool().try_submit(nothing());
  std::stop_source stop;
  EndProbe probe;
  auto answer = std::async(std::launch::async, [&] {
    return pool().submit(nothing(), {.stop = stop.get_token(), .on_end = probe.callback()});
  });
  stop.request_stop();
  EXPECT_EQ(answer.get(), Answer::kAccepted) << "without a place: nothing has left the queue";
  EXPECT_EQ(probe.wait().outcome, Outcome::kCancelled);
  EXPECT_EQ(pool().snapshot().queue_depth, 1U);
  valve_.open();
  EXPECT_EQ(pool().drain(), 0U);
}

// Whatever time passes on the clock of the pool, which here is none.
TEST_F(Jobs, S8ASubmitterIsToldOfAPlaceThoughTheClockStands) {
  config_.queue_capacity = 8;
  for (int i = 0; i < 100; ++i) pool().submit(nothing());  // the pool has learnt that jobs are quick
  until_idle(1);
  occupy();
  Valve second;
  pool().try_submit(Task([&](const JobContext&) { second.wait(); }));
  for (int i = 0; i < 7; ++i) pool().try_submit(nothing());
  auto answer = std::async(std::launch::async, [&] { return pool().submit(nothing()); });
  eventually([&] { return pool().snapshot().queue_depth == 8; });
  valve_.open();
  second.until_waiting(1);
  EXPECT_EQ(answer.get(), Answer::kAccepted);
  second.open();
  EXPECT_EQ(pool().drain(), 0U);
}

TEST_F(Jobs, S8StopEndsTheWaitOfASubmitter) {
  config_.queue_capacity = 1;
  occupy();
  pool().try_submit(nothing());
  auto answer = std::async(std::launch::async, [&] { return pool().submit(nothing()); });
  pool().stop();
  EXPECT_EQ(answer.get(), Answer::kStopped);
}

TEST_F(Jobs, S8ABatchIsTakenAsFarAsThereArePlaces) {
  config_.queue_capacity = 3;
  occupy();
  std::vector<Task> jobs;
  std::atomic<int> ran{0};
  for (int i = 0; i < 5; ++i) jobs.emplace_back([&](const JobContext&) { ++ran; });
  const BatchAnswer answer = pool().submit_batch(jobs);
  EXPECT_EQ(answer.accepted, 3U);
  EXPECT_EQ(answer.answer, Answer::kFull);
  EXPECT_FALSE(jobs[2]);
  EXPECT_TRUE(jobs[3]);
  EXPECT_TRUE(jobs[4]);
  valve_.open();
  EXPECT_EQ(pool().drain(), 0U);
  EXPECT_EQ(ran, 3);
}

TEST_F(Jobs, S8ABatchCarriesOptionsForEachJob) {
  std::array<EndProbe, 2> probes;
  std::vector<Task> jobs;
  std::vector<JobOptions> options(2);
  jobs.push_back(nothing());
  jobs.emplace_back([](const JobContext&) { throw std::runtime_error("second"); });
  for (std::size_t i = 0; i < 2; ++i) options[i].on_end = probes[i].callback();
  EXPECT_EQ(pool().submit_batch(jobs, options).accepted, 2U);
  EXPECT_EQ(probes[0].wait().outcome, Outcome::kDone);
  EXPECT_EQ(probes[1].wait().outcome, Outcome::kFailed);
}

TEST_F(Jobs, S8AnExpiredJobIsNeverStartedAndGivesItsPlaceBackWithoutAWorker) {
  config_.queue_capacity = 1;
  occupy();
  std::atomic<bool> ran{false};
  EndProbe probe;
  pool().try_submit(marking(ran), {.deadline = clock_->now() + seconds(1), .on_end = probe.callback()});
  step_after(seconds(1));
  const JobEnd end = probe.wait();
  EXPECT_EQ(end.outcome, Outcome::kExpired);
  EXPECT_EQ(end.waited, seconds(1));
  EXPECT_EQ(end.worker, kNoWorker);
  EXPECT_EQ(pool().snapshot().queue_depth, 0U);
  valve_.open();
  pool().drain();
  EXPECT_FALSE(ran);
  EXPECT_EQ(pool().snapshot().counters.expired, 1U);
}

TEST_F(Jobs, S8AFullQueueMakesRoomByDroppingTheExpired) {
  config_.queue_capacity = 1;
  occupy();
  EndProbe probe;
  pool().try_submit(nothing(), {.deadline = clock_->now() + seconds(1), .on_end = probe.callback()});
  EXPECT_EQ(pool().try_submit(nothing()), Answer::kFull);
  clock_->advance(seconds(1));
  EXPECT_EQ(pool().try_submit(nothing()), Answer::kAccepted);
  EXPECT_EQ(probe.wait().outcome, Outcome::kExpired);
}

TEST_F(Jobs, S8AWorkerDoesNotStartAnExpiredJob) {
  occupy();
  std::atomic<bool> ran{false};
  EndProbe probe;
  pool().try_submit(marking(ran), {.deadline = clock_->now() + seconds(1), .on_end = probe.callback()});
  clock_->advance(seconds(2));
  valve_.open();
  EXPECT_EQ(probe.wait().outcome, Outcome::kExpired);
  EXPECT_FALSE(ran);
}

TEST_F(Jobs, S8AJobWhoseDeadlineHasPassedIsRefused) {
  EXPECT_EQ(pool().try_submit(nothing(), {.deadline = clock_->now()}), Answer::kDeadline);
  EXPECT_EQ(pool().submit(nothing(), {.deadline = clock_->now()}), Answer::kDeadline);
}

TEST_F(Jobs, S8ACancelledJobLeavesTheQueueBeforeRequestStopReturns) {
  config_.queue_capacity = 2;
  occupy();
  std::atomic<bool> ran{false};
  std::stop_source source;
  std::thread::id told_on;
  Outcome outcome = Outcome::kDone;
  pool().try_submit(marking(ran), {.stop = source.get_token(), .on_end = [&](const JobEnd& end) {
                                     told_on = std::this_thread::get_id();
                                     outcome = end.outcome;
                                   }});
  pool().try_submit(nothing());
  EXPECT_EQ(pool().try_submit(nothing()), Answer::kFull);
  source.request_stop();
  EXPECT_EQ(outcome, Outcome::kCancelled);
  EXPECT_EQ(told_on, std::this_thread::get_id());
  EXPECT_EQ(pool().try_submit(nothing()), Answer::kAccepted) << "its place is free";
  valve_.open();
  pool().drain();
  EXPECT_FALSE(ran);
  EXPECT_EQ(pool().snapshot().counters.cancelled, 1U);
}

TEST_F(Jobs, S8AJobThatIsCancelledAlreadyEndsAtOnce) {
  std::stop_source source;
  source.request_stop();
  std::atomic<bool> ran{false};
  EndProbe probe;
  EXPECT_EQ(pool().try_submit(marking(ran), {.stop = source.get_token(), .on_end = probe.callback()}),
            Answer::kAccepted);
  EXPECT_EQ(probe.wait().outcome, Outcome::kCancelled);
  EXPECT_EQ(pool().drain(), 0U);
  EXPECT_FALSE(ran);
}

TEST_F(Jobs, S8ARunningJobSeesItsCancellation) {
  factory_ = candid_task_worker();
  std::stop_source source;
  EndProbe probe;
  pool().try_submit(Task([&](const JobContext& context) { valve_.wait(context.stop); }),
                    {.stop = source.get_token(), .on_end = probe.callback()});
  valve_.until_waiting(1);
  source.request_stop();
  EXPECT_EQ(probe.wait().outcome, Outcome::kCancelled);
}

TEST_F(Jobs, S8CancellingOneJobDoesNotTouchTheNextOfTheSameWorker) {
  std::stop_source source;
  EndProbe first;
  EndProbe second;
  std::atomic<bool> next_is_stopped{true};
  pool().try_submit(Task([&](const JobContext& context) { valve_.wait(context.stop); }),
                    {.stop = source.get_token(), .on_end = first.callback()});
  pool().try_submit(Task([&](const JobContext& context) { next_is_stopped = context.stop.stop_requested(); }),
                    {.on_end = second.callback()});
  valve_.until_waiting(1);
  source.request_stop();
  first.wait();
  second.wait();
  EXPECT_FALSE(next_is_stopped);
}

TEST_F(Jobs, S8AThrowAfterCancellationCountsAsCancelled) {
  std::stop_source source;
  EndProbe probe;
  pool().try_submit(Task([&](const JobContext& context) {
                      valve_.wait(context.stop);
                      throw std::runtime_error("gave up");
                    }),
                    {.stop = source.get_token(), .on_end = probe.callback()});
  valve_.until_waiting(1);
  source.request_stop();
  const JobEnd end = probe.wait();
  EXPECT_EQ(end.outcome, Outcome::kCancelled);
  EXPECT_TRUE(end.error);
}

TEST_F(Jobs, CancellingAfterTheEndDoesNothing) {
  std::stop_source source;
  EndProbe probe;
  pool().try_submit(nothing(), {.stop = source.get_token(), .on_end = probe.callback()});
  EXPECT_EQ(probe.wait().outcome, Outcome::kDone);
  source.request_stop();
  EXPECT_EQ(pool().snapshot().counters.cancelled, 0U);
}

TEST_F(Jobs, TheTimesOfAJobAreKnownToItsHandlerAndItsSubmitter) {
  occupy();
  EndProbe probe;
  Duration seen{};
  pool().try_submit(Task([&](const JobContext& context) {
                      seen = context.waited;
                      clock_->advance(milliseconds(30));
                    }),
                    {.on_end = probe.callback()});
  clock_->advance(milliseconds(500));
  valve_.open();
  const JobEnd end = probe.wait();
  EXPECT_EQ(seen, milliseconds(500));
  EXPECT_EQ(end.waited, milliseconds(500));
  EXPECT_EQ(end.ran, milliseconds(30));
  EXPECT_EQ(end.worker, 0U);
  EXPECT_NEAR(to_seconds(pool().snapshot().wait.p99), .5, .02);
}

TEST_F(Jobs, TheJobIsDestroyedBeforeItsEndIsReported) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  std::promise<bool> gone_when_run;
  pool().try_submit(Task([held = std::move(held)](const JobContext&) {}),
                    {.on_end = [&](const JobEnd&) { gone_when_run.set_value(watch.expired()); }});
  EXPECT_TRUE(gone_when_run.get_future().get());

  held = std::make_shared<int>(2);
  const std::weak_ptr<int> watch_queued = held;
  std::stop_source source;
  bool gone_when_cancelled = false;
  occupy();
  pool().try_submit(
      Task([held = std::move(held)](const JobContext&) {}),
      {.stop = source.get_token(), .on_end = [&](const JobEnd&) { gone_when_cancelled = watch_queued.expired(); }});
  source.request_stop();
  EXPECT_TRUE(gone_when_cancelled);
}

TEST_F(Jobs, ACompletionCallbackMaySubmit) {
  EndProbe probe;
  pool().try_submit(nothing(),
                    {.on_end = [&](const JobEnd&) { pool().try_submit(nothing(), {.on_end = probe.callback()}); }});
  EXPECT_EQ(probe.wait().outcome, Outcome::kDone);
}

TEST_F(Jobs, CountersAreCompleteWhenTheSubmitterHears) {
  for (std::uint64_t i = 1; i <= 100; ++i) {
    EndProbe probe;
    pool().try_submit(nothing(), {.on_end = probe.callback()});
    probe.wait();
    const Snapshot snapshot = pool().snapshot();
    ASSERT_EQ(snapshot.counters.done, i);
    ASSERT_EQ(snapshot.in_flight, 0);
  }
}

TEST_F(Jobs, S1EveryWorkerTakesFromTheOneQueue) {
  fix(3);
  occupy(3);
  EXPECT_EQ(pool().snapshot().in_flight, 3);
  EXPECT_EQ(pool().snapshot().idle, 0);
}

}  // namespace
}  // namespace optimux::pool::testing
