// Laws that hold after any sequence of calls, checked against a model that knows only bytes, phases and blocks.
#include "http/stream_scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace optimux::http {
namespace {

using base::Phase;

const bool kIsSeeded = setenv("RC_PARAMS", "seed=1 max_success=200", 0) == 0;

struct ModelStream {
  StreamPriority priority;
  std::array<std::uint64_t, base::kPhases> waiting{};
  int latest = 0;
  bool blocked = false;

  std::uint64_t pending() const { return std::accumulate(waiting.begin(), waiting.end(), std::uint64_t{0}); }
  bool is_sendable() const { return pending() > 0 && !blocked; }
  int phase() const {
    int phase = 0;
    while (waiting[static_cast<std::size_t>(phase)] == 0) ++phase;
    return phase;
  }
  void take(std::uint64_t bytes) {
    for (std::uint64_t& part : waiting) {
      const std::uint64_t taken = std::min(part, bytes);
      part -= taken;
      bytes -= taken;
    }
  }
};

/// The scheduler and the model, driven by the same calls.
class Pair {
 public:
  explicit Pair(SchedulingPolicy policy) : scheduler_(policy) {}

  void step() {
    switch (*rc::gen::inRange(0, 10)) {
      case 0: return open();
      case 1:
      case 2:
      case 3: return append();
      case 4: return block(true);
      case 5: return block(false);
      case 6: return reprioritize();
      case 7: return *rc::gen::inRange(0, 4) == 0 ? close() : charge_any();
      default: return turn();
    }
  }

  void check() const {
    std::uint64_t pending = 0;
    std::size_t sendable = 0;
    for (const auto& [id, stream] : model_) {
      RC_ASSERT(scheduler_.is_open(id));
      RC_ASSERT(scheduler_.pending(id) == stream.pending());
      pending += stream.pending();
      sendable += stream.is_sendable() ? 1 : 0;
    }
    RC_ASSERT(scheduler_.size() == model_.size());
    RC_ASSERT(scheduler_.pending() == pending);
    RC_ASSERT(scheduler_.sendable() == sendable);
    check_pick(sendable);
  }

  /// Takes turns until nothing is sendable: as many as there are bytes, at most.
  void drain() {
    std::uint64_t left = 0;
    for (const auto& [id, stream] : model_) left += stream.blocked ? 0 : stream.pending();
    while (left > 0) {
      const auto pick = scheduler_.pick();
      RC_ASSERT(pick.has_value());
      RC_ASSERT(pick->bytes <= left);
      left -= pick->bytes;
      turn();
    }
    RC_ASSERT(!scheduler_.pick().has_value());
  }

 private:
  void check_pick(std::size_t sendable) const {
    const auto pick = scheduler_.pick();
    RC_ASSERT(pick.has_value() == (sendable > 0));
    if (!pick) return;
    RC_ASSERT(pick == scheduler_.pick());
    const ModelStream& stream = model_.at(pick->stream);
    RC_ASSERT(stream.is_sendable());
    RC_ASSERT(static_cast<int>(pick->phase) == stream.phase());
    const std::uint64_t there = scheduler_.policy() == SchedulingPolicy::kPhases
                                    ? stream.waiting[static_cast<std::size_t>(stream.phase())]
                                    : stream.pending();
    RC_ASSERT(pick->bytes == std::min<std::uint64_t>(there, StreamScheduler::kQuantum));
  }

  StreamPriority any_priority() {
    return {*rc::gen::inRange(0, 8), *rc::gen::arbitrary<bool>(), *rc::gen::inRange(1, 257)};
  }
  std::map<StreamId, ModelStream>::iterator any() {
    return std::next(model_.begin(), *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(model_.size())));
  }

  void open() {
    const StreamPriority priority = any_priority();
    scheduler_.open(next_, priority);
    model_[next_].priority = priority;
    next_ += *rc::gen::inRange(1, 3);
  }
  void append() {
    if (model_.empty()) return;
    auto& [id, stream] = *any();
    const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 60'000);
    const int phase = *rc::gen::inRange(0, base::kPhases);
    scheduler_.append(id, bytes, static_cast<Phase>(phase));
    if (bytes > 0) stream.latest = std::max(stream.latest, phase);
    stream.waiting[static_cast<std::size_t>(stream.latest)] += bytes;
  }
  void block(bool blocked) {
    if (model_.empty()) return;
    auto& [id, stream] = *any();
    blocked ? scheduler_.block(id) : scheduler_.unblock(id);
    stream.blocked = blocked;
  }
  void reprioritize() {
    if (model_.empty()) return;
    scheduler_.reprioritize(any()->first, any_priority());
  }
  void close() {
    if (model_.empty()) return;
    const auto place = any();
    scheduler_.close(place->first);
    model_.erase(place);
  }
  void charge_any() {
    if (model_.empty()) return;
    auto& [id, stream] = *any();
    const auto bytes = *rc::gen::inRange<std::uint64_t>(0, stream.pending() + 1);
    scheduler_.charge(id, bytes);
    stream.take(bytes);
  }
  void turn() {
    const auto pick = scheduler_.pick();
    if (!pick) return;
    scheduler_.charge(pick->stream, pick->bytes);
    model_.at(pick->stream).take(pick->bytes);
  }

  StreamScheduler scheduler_;
  std::map<StreamId, ModelStream> model_;
  StreamId next_ = 1;
};

SchedulingPolicy any_policy() {
  return *rc::gen::element(SchedulingPolicy::kPhases, SchedulingPolicy::kRfc9218, SchedulingPolicy::kFair,
                           SchedulingPolicy::kFifo);
}

RC_GTEST_PROP(StreamSchedulerLaws, BytesAreConservedAndOnlySendableStreamsArePicked, ()) {
  Pair pair(any_policy());
  const int steps = *rc::gen::inRange(1, 400);
  for (int step = 0; step < steps; ++step) {
    pair.step();
    pair.check();
  }
  pair.drain();
}

RC_GTEST_PROP(StreamSchedulerLaws, TheSameCallsGiveTheSameOrder, ()) {
  const SchedulingPolicy policy = any_policy();
  StreamScheduler one(policy);
  StreamScheduler other(policy);
  for (StreamId id = 1; id < 40; id += 2) {
    const StreamPriority priority{*rc::gen::inRange(0, 8), *rc::gen::arbitrary<bool>(), *rc::gen::inRange(1, 257)};
    const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 200'000);
    const auto phase = static_cast<Phase>(*rc::gen::inRange(0, base::kPhases));
    for (StreamScheduler* scheduler : {&one, &other}) {
      scheduler->open(id, priority);
      scheduler->append(id, bytes, phase);
    }
  }
  while (const auto pick = one.pick()) {
    RC_ASSERT(other.pick() == pick);
    for (StreamScheduler* scheduler : {&one, &other}) scheduler->charge(pick->stream, pick->bytes);
  }
}

// A class waits for 16 * 16 * 30 turns at most; the stream that is last in it, for those before it.
RC_GTEST_PROP(StreamSchedulerLaws, NoClassStarves, ()) {
  StreamScheduler scheduler;
  std::map<StreamId, int> waits;
  const int streams = *rc::gen::inRange(2, 32);
  for (StreamId id = 0; id < streams; ++id) {  // each in a class of its own, all with more than can be sent
    scheduler.open(id, {id % 8, *rc::gen::arbitrary<bool>(), *rc::gen::inRange(1, 257)});
    scheduler.append(id, std::uint64_t{1} << 50, static_cast<Phase>(id / 8));
    waits[id] = 0;
  }
  for (int turn = 0; turn < 16 * 16 * 40; ++turn) {
    const auto pick = scheduler.pick();
    scheduler.charge(pick->stream, pick->bytes);
    for (auto& [id, wait] : waits) wait = id == pick->stream ? 0 : wait + 1;
    for (const auto& [id, wait] : waits) RC_ASSERT(wait <= 16 * 16 * 30);
  }
}

RC_GTEST_PROP(StreamSchedulerLaws, PhasesAreInOrderButForTheSixteenth, ()) {
  StreamScheduler scheduler;
  const int streams = *rc::gen::inRange(2, 40);
  std::uint64_t total = 0;
  for (StreamId id = 0; id < streams; ++id) {
    scheduler.open(id, {*rc::gen::inRange(0, 8), *rc::gen::arbitrary<bool>(), *rc::gen::inRange(1, 257)});
    for (int phase = 0; phase < base::kPhases; ++phase) {
      const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 30'000);
      scheduler.append(id, bytes, static_cast<Phase>(phase));
      total += bytes;
    }
  }
  std::uint64_t early = 0;  // bytes that went before some of an earlier phase
  std::array<std::uint64_t, base::kPhases> left{};
  StreamScheduler ahead = std::move(scheduler);
  std::vector<StreamScheduler::Pick> order;
  while (const auto pick = ahead.pick()) {
    order.push_back(*pick);
    left[static_cast<std::size_t>(pick->phase)] += pick->bytes;
    ahead.charge(pick->stream, pick->bytes);
  }
  for (const auto& pick : order) {
    left[static_cast<std::size_t>(pick.phase)] -= pick.bytes;
    for (std::size_t phase = 0; phase < static_cast<std::size_t>(pick.phase); ++phase)
      if (left[phase] > 0) {
        early += pick.bytes;
        break;
      }
  }
  RC_ASSERT(early <= total / 16 + StreamScheduler::kQuantum);
}

}  // namespace
}  // namespace optimux::http
