// Submitters that wait for a place, under every interleaving with at most two preemptions.

#include "interleaving/world.hpp"

namespace optimux::pool::testing {
namespace {

/// A submitter of `job` that waits for ever.
void spawn_submitter(Explorer& explorer, World<StandardProtocol>* world, int job) {
  explorer.spawn("submitter" + std::to_string(job), [&explorer, world, job] {
    int value = job;
    const Answer answer = world->exchange.submit(std::move(value), world->options(job), kNever).answer;
    explorer.require(world->note(job, answer) == Answer::kAccepted, "a submitter that may wait for ever is refused");
  });
}

TEST(Interleaving, WaitingSubmittersGetEveryPlaceThatIsFreed) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>(1);
    world->worker(explorer, 0);
    for (int job = 1; job <= 3; ++job) spawn_submitter(explorer, world.get(), job);
    explorer.when_quiet([&explorer, w = world.get()] { w->require_all_ended(explorer); });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  }));
}

TEST(Interleaving, AWaitingSubmitterThatTimesOutTakesNoPlaceAndLosesNoJob) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>(1);
    world->worker(explorer, 0);
    for (int job = 1; job <= 2; ++job) {
      explorer.spawn("submitter" + std::to_string(job), [&explorer, w = world.get(), job] {
        int value = job;
        const TimePoint soon = w->clock.now() + std::chrono::seconds(1);
        const Answer answer = w->note(job, w->exchange.submit(std::move(value), w->options(job), soon).answer);
        explorer.require(answer == Answer::kAccepted || answer == Answer::kDeadline, "wrong answer");
      });
    }
    explorer.when_quiet([&explorer, w = world.get()] {
      w->require_all_ended(explorer);
      explorer.require(w->exchange.load(w->clock.now()).queue_depth == 0, "a place is lost");
    });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  }));
}

// One look of a worker frees two places, and it does not look again: whoever is told of them tells the other.
TEST(Interleaving, TwoPlacesFreedAtOnceLetTwoSubmittersIn) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>(2);
    auto released = std::make_shared<bool>(false);
    world->most = 2;
    world->run = [&explorer, released](auto&, auto&) {
      if (!*released) explorer.block([released] { return *released; });
    };
    world->submit(1);
    world->submit(2);
    world->worker(explorer, 0);
    spawn_submitter(explorer, world.get(), 3);
    spawn_submitter(explorer, world.get(), 4);
    explorer.when_quiet([&explorer, released, w = world.get()] {
      explorer.require(w->accepted.size() == 4, "a submitter waits beside a free place");
      *released = true;
    });
    explorer.when_quiet([&explorer, w = world.get()] { w->require_all_ended(explorer); });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  }));
}

// Nothing leaves the full queue: only its own token lets the submitter go.
TEST(Interleaving, ATokenThatFiresEndsTheWaitForAPlace) {
  expect_sound(Explorer::explore([](Explorer& explorer) {
    auto world = std::make_shared<World<StandardProtocol>>(1);
    auto stop = std::make_shared<std::stop_source>();
    world->submit(1);
    explorer.spawn("submitter", [&explorer, stop, w = world.get()] {
      int value = 2;
      const Answer answer = w->exchange.submit(std::move(value), w->options(2, stop->get_token()), kNever).answer;
      explorer.require(w->note(2, answer) == Answer::kAccepted, "a cancelled job needs no place");
    });
    explorer.spawn("canceller", [stop] { StopCallbackList::request_stop(*stop); });
    explorer.when_quiet([&explorer, w = world.get()] {
      explorer.require(w->ended[2] == std::vector{Outcome::kCancelled}, "the submitter of a cancelled job waits on");
      explorer.require(w->exchange.load(w->clock.now()).queue_depth == 1, "a cancelled job took a place");
    });
    explorer.when_quiet([w = world.get()] { w->stop(); });
    return world;
  }));
}

}  // namespace
}  // namespace optimux::pool::testing
