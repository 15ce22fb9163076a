// Queue, parking and retirement under every interleaving of a few tasks with at most two preemptions; and the proof
// that this search notices when one of the rules is taken away.

#include "interleaving/world.hpp"
#include "optimux/pool/registry.hpp"

namespace optimux::pool::testing {
namespace {

struct ParksLater : StandardProtocol {
  static constexpr bool kParksInTheSameStep = false;
};
struct KeepsTheWake : StandardProtocol {
  static constexpr bool kPassesWakeOn = false;
};
struct RetiresAnybody : StandardProtocol {
  static constexpr bool kRetiresTheAsked = false;
};
struct FreesAtTimeout : StandardProtocol {
  static constexpr bool kFreesOnExitOnly = false;
};

// Submissions against workers that are about to park.
template <class Protocol>
Explorer::Result submit_against_park(std::size_t most = 1) {
  return Explorer::explore([most](Explorer& explorer) {
    auto world = std::make_shared<World<Protocol>>();
    world->most = most;
    world->worker(explorer, 0);
    world->worker(explorer, 1);
    explorer.spawn("submitter", [w = world.get()] {
      w->submit(1);
      w->submit(2);
    });
    explorer.when_quiet([&explorer, w = world.get()] { w->require_all_ended(explorer); });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  });
}

TEST(Interleaving, I8SubmitAgainstParkLosesNoWakeUp) {
  expect_sound(submit_against_park<StandardProtocol>());
}
TEST(Interleaving, I8LostWakeUpPutBackIsFound) {
  expect_found(submit_against_park<ParksLater>(), "I8");
}

TEST(Interleaving, I8WorkersThatTakeBatchesLoseNoWakeUp) {
  expect_sound(submit_against_park<StandardProtocol>(2));
}
TEST(Interleaving, I8LostWakeUpPutBackIsFoundWithBatches) {
  expect_found(submit_against_park<ParksLater>(2), "I8");
}

// A job wakes the worker that is just being retired.
template <class Protocol>
Explorer::Result retire_against_wake() {
  return Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<Protocol>>();
    world->worker(explorer, 0);
    world->worker(explorer, 1);
    explorer.when_quiet([&explorer, w = world.get()] {
      explorer.spawn("submitter", [w] { w->submit(1); });
      explorer.spawn("retirer", [w] { w->exchange.ask_retire(*w->slots[1]); });
    });
    explorer.when_quiet([&explorer, w = world.get()] {
      w->require_all_ended(explorer);
      explorer.require(w->left.count(1) == 1, "a parked worker leaves when asked");
    });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  });
}

TEST(Interleaving, I8RetiringWorkerPassesItsWakeUpOn) {
  expect_sound(retire_against_wake<StandardProtocol>());
}
TEST(Interleaving, I8WakeUpKeptByARetiringWorkerIsFound) {
  expect_found(retire_against_wake<KeepsTheWake>(), "I8");
}

// The newest is asked to leave while all are busy or parked.
template <class Protocol>
Explorer::Result retire_newest(std::size_t most = 1) {
  return Explorer::explore([most](Explorer& explorer) {
    auto world = std::make_shared<World<Protocol>>();
    world->most = most;
    auto registry = std::make_shared<BasicRegistry<Protocol>>();
    for (int i = 0; i < 2; ++i) world->worker(explorer, registry->append());
    explorer.spawn("submitter", [w = world.get()] {
      w->submit(1);
      w->submit(2);
    });
    explorer.spawn("retirer", [w = world.get(), registry] {
      const WorkerIndex victim = *registry->retire_newest(w->clock.now());
      w->exchange.ask_retire(*w->slots[victim]);
    });
    explorer.when_quiet([&explorer, w = world.get()] {
      w->require_all_ended(explorer);
      explorer.require(w->left.size() == 1, "one worker leaves");
      explorer.require(w->left.count(1) == 1, "I5: the worker that left is not the newest");
    });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  });
}

TEST(Interleaving, I5RetirementTakesTheNewestAndLosesNoJob) {
  expect_sound(retire_newest<StandardProtocol>());
}
TEST(Interleaving, I5RetirementTakenByTheWrongWorkerIsFound) {
  expect_found(retire_newest<RetiresAnybody>(), "I5");
}
TEST(Interleaving, I5RetirementTakenByTheWrongWorkerIsFoundWithBatches) {
  expect_found(retire_newest<RetiresAnybody>(2), "I5");
}

// A busy worker does not answer within the grace; the pool, at its cap of one, wants to replace it.
template <class Protocol>
Explorer::Result replace_after_grace(std::size_t most = 1) {
  return Explorer::explore([most](Explorer& explorer) {
    auto world = std::make_shared<World<Protocol>>();
    world->most = most;
    auto registry = std::make_shared<BasicRegistry<Protocol>>();
    constexpr int kCap = 1;
    world->run = [&explorer, w = world.get()](auto&, auto&) {
      explorer.require(w->working <= kCap, "I1: more workers than the cap are at work");
      explorer.point();
      explorer.require(w->working <= kCap, "I1: more workers than the cap are at work");
    };
    world->worker(explorer, registry->append());
    explorer.spawn("submitter", [w = world.get()] {
      w->submit(1);
      w->submit(2);
    });
    explorer.spawn("supervisor", [&explorer, w = world.get(), registry] {
      const WorkerIndex victim = *registry->retire_newest(w->clock.now());
      w->exchange.ask_retire(*w->slots[victim]);
      w->clock.advance(std::chrono::seconds(3));
      for (const WorkerIndex index : registry->nudge_overdue(w->clock.now(), std::chrono::seconds(2))) {
        w->exchange.nudge(*w->slots[index]);
      }
      explorer.point();
      if (w->left.count(victim) != 0) registry->free(victim);
      if (registry->total() < kCap) w->worker(explorer, registry->append());
    });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    explorer.when_quiet([&explorer, w = world.get()] { w->require_all_ended(explorer); });
    return world;
  });
}

TEST(Interleaving, I6SlotIsKeptUntilTheWorkerHasLeft) {
  expect_sound(replace_after_grace<StandardProtocol>());
}
TEST(Interleaving, I6SlotFreedAtTheTimeoutIsFound) {
  expect_found(replace_after_grace<FreesAtTimeout>(), "I1");
}
TEST(Interleaving, I6SlotFreedAtTheTimeoutIsFoundWithBatches) {
  expect_found(replace_after_grace<FreesAtTimeout>(2), "I1");
}

// Two workers, so that one of them wakes the other between its take and its job.
Explorer::Result stop_against_submit_and_take(int workers, std::size_t most) {
  return Explorer::explore([workers, most](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>();
    world->most = most;
    for (int i = 0; i < workers; ++i) world->worker(explorer, static_cast<WorkerIndex>(i));
    explorer.spawn("submitter", [w = world.get()] {
      w->submit(1);
      w->submit(2);
    });
    explorer.spawn("stopper", [w = world.get()] { w->stop(); });
    explorer.when_quiet([&explorer, workers, w = world.get()] {
      w->require_all_ended(explorer);
      explorer.require(w->left.size() == static_cast<std::size_t>(workers), "the workers leave");
    });
    return world;
  });
}

TEST(Interleaving, I4I7StopAgainstSubmitAndTake) {
  expect_sound(stop_against_submit_and_take(1, 1));
}
TEST(Interleaving, I4I7StopAgainstSubmitAndTakeOfTwo) {
  expect_sound(stop_against_submit_and_take(2, 1));
}
TEST(Interleaving, I4I7StopAgainstSubmitAndTakeOfABatch) {
  expect_sound(stop_against_submit_and_take(1, 2));
}

// Submitters with and without a stop token use different locks: they must not overtake each other, nor lose a job.
TEST(Interleaving, I8PlainAndCancellableSubmissionsMeet) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>();
    auto source = std::make_shared<std::stop_source>();
    world->worker(explorer, 0);
    explorer.spawn("plain", [w = world.get()] { w->submit(1); });
    explorer.spawn("cancellable", [w = world.get(), source] { w->submit(2, source->get_token()); });
    explorer.when_quiet([&explorer, w = world.get()] { w->require_all_ended(explorer); });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  }));
}

TEST(Interleaving, I4CancelAgainstStartEndsTheJobOnce) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>();
    auto source = std::make_shared<std::stop_source>();
    world->run = [&explorer, source](auto&, auto&) { explorer.point(); };
    world->worker(explorer, 0);
    explorer.spawn("submitter", [w = world.get(), source] { w->submit(1, source->get_token()); });
    explorer.spawn("canceller", [&explorer, w = world.get(), source] {
      const bool began = w->started.count(1) != 0;
      StopCallbackList::request_stop(*source);
      const bool dropped = w->ended.count(1) != 0 && w->ended[1].front() == Outcome::kCancelled;
      explorer.require(!dropped || began == (w->started.count(1) != 0), "a cancelled job is started");
    });
    explorer.when_quiet([&explorer, w = world.get()] {
      w->require_all_ended(explorer);
      explorer.require(w->exchange.load(w->clock.now()).queue_depth == 0, "a cancelled job keeps its place");
    });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  }));
}

TEST(Interleaving, I4CancelAgainstStop) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>();
    auto source = std::make_shared<std::stop_source>();
    explorer.spawn("submitter", [w = world.get(), source] { w->submit(1, source->get_token()); });
    explorer.spawn("canceller", [source] { StopCallbackList::request_stop(*source); });
    explorer.spawn("stopper", [w = world.get()] { w->stop(); });
    explorer.when_quiet([&explorer, w = world.get()] { w->require_all_ended(explorer); });
    return world;
  }));
}

TEST(Interleaving, DrainReturnsAfterEveryJobHasEndedAndBeenReported) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>();
    world->worker(explorer, 0);
    explorer.spawn("submitter", [w = world.get()] {
      w->submit(1);
      w->submit(2);
    });
    explorer.spawn("drainer", [&explorer, w = world.get()] {
      w->exchange.close();
      explorer.require(w->exchange.wait_quiet(kNever) == 0, "drained");
      w->require_all_ended(explorer);
    });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  }));
}

}  // namespace
}  // namespace optimux::pool::testing
