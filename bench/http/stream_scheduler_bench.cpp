// What a turn costs: find whose it is, count what was sent, put the stream back in its place. The wheel of the
// scheduler, the scheduler as a whole, and three other ways of sharing by weight, written from their descriptions, each
// for the same streams and turns. And how fair they are: the largest lag of any stream at any time, in quanta.
#include "http/stream_scheduler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "http/calendar_wheel.hpp"
#include "http/dary_heap.hpp"
#include "http/fair_queue.hpp"

namespace optimux::http {
namespace {

/// All flows in an array, of which each turn looks at every key.
class LinearScan {
 public:
  using Item = std::uint16_t;

  bool empty() const { return entries_.empty(); }
  void begin_at(std::uint64_t) {}
  void insert(Item item, std::uint64_t key) { entries_.push_back({key, item}); }
  void requeue(Item item, std::uint64_t key) {
    Entry& entry = entries_[last_].item == item ? entries_[last_] : find(item);
    entry.key = key;
  }
  Item front() const {
    last_ = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i)
      if (static_cast<std::int64_t>(entries_[i].key - entries_[last_].key) < 0) last_ = i;
    return entries_[last_].item;
  }

 private:
  struct Entry {
    std::uint64_t key;
    Item item;
  };
  Entry& find(Item item) {
    std::size_t i = 0;
    while (entries_[i].item != item) ++i;
    return entries_[i];
  }

  std::vector<Entry> entries_;
  mutable std::size_t last_ = 0;  // where the last scan ended
};

/// The idea of H2O's scheduler: a ring of 64 queues. A turn puts a flow 64/weight queues ahead, or leaves it in the
/// present one, and carries the fraction over. It counts turns, not bytes.
class ArrayOfQueues {
 public:
  void join(std::uint16_t flow, int weight) {
    if (flow >= states_.size()) states_.resize(flow + std::size_t{1});
    states_[flow] = {kWhole * 63 / static_cast<std::uint64_t>(weight), 0};
    put(flow);
  }
  std::uint16_t front() {
    now_ = (now_ + static_cast<unsigned>(std::countr_zero(std::rotr(occupied_, static_cast<int>(now_))))) % 64;
    return ring_[now_].front();
  }
  void charge(std::uint16_t flow, std::size_t) {
    ring_[now_].pop_front();
    if (ring_[now_].empty()) occupied_ &= ~(std::uint64_t{1} << now_);
    put(flow);
  }

 private:
  static constexpr std::uint64_t kWhole = 65'536;
  struct State {
    std::uint64_t step = 0;
    std::uint64_t carried = 0;
  };

  void put(std::uint16_t flow) {
    State& state = states_[flow];
    const std::uint64_t ahead = state.step + state.carried;
    state.carried = ahead % kWhole;
    const std::size_t place = (now_ + ahead / kWhole) % 64;
    ring_[place].push_back(flow);
    occupied_ |= std::uint64_t{1} << place;
  }

  std::array<std::deque<std::uint16_t>, 64> ring_;
  std::uint64_t occupied_ = 0;
  unsigned now_ = 0;
  std::vector<State> states_;
};

// 1 to 256 and again, in any order.
std::vector<int> weights(std::int64_t flows) {
  std::vector<int> all;
  for (std::int64_t i = 0; i < flows; ++i) all.push_back(1 + static_cast<int>(i % 256));
  std::shuffle(all.begin(), all.end(), std::mt19937_64(1));
  return all;
}

template <typename Shares>
void join(Shares& shares, const std::vector<int>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) shares.join(static_cast<std::uint16_t>(i), all[i]);
}

// What a flow should have got by its weight, less what it got: the largest, over all flows and turns.
template <typename Shares>
double largest_lag(const std::vector<int>& all) {
  constexpr int kTurns = 40'000;  // somewhat more than the weights 1 to 256 add up to
  Shares shares;
  join(shares, all);
  const double total = std::accumulate(all.begin(), all.end(), 0.0);
  std::vector<double> lags(all.size());
  double largest = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto flow = shares.front();
    shares.charge(flow, StreamScheduler::kQuantum);
    lags[flow] -= 1;
    for (std::size_t i = 0; i < lags.size(); ++i) largest = std::max(largest, std::abs(lags[i] += all[i] / total));
  }
  return largest;
}

template <typename Shares>
void turns(benchmark::State& state) {
  Shares shares;
  const auto all = weights(state.range(0));
  join(shares, all);
  for (auto _ : state) {
    const auto flow = shares.front();
    benchmark::DoNotOptimize(flow);
    shares.charge(flow, StreamScheduler::kQuantum);
  }
  if (all.size() == 256) state.counters["largest_lag"] = largest_lag<Shares>(all);
}

void whole_scheduler(benchmark::State& state) {
  StreamScheduler scheduler;
  const auto all = weights(state.range(0));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto id = static_cast<StreamId>(2 * i + 1);
    scheduler.open(id, {.urgency = 3, .incremental = true, .weight = all[i]});
    scheduler.append(id, std::uint64_t{1} << 50, base::Phase::kFull);
  }
  for (auto _ : state) {
    const auto pick = scheduler.pick();
    benchmark::DoNotOptimize(pick->bytes);
    scheduler.charge(pick->stream, pick->bytes);
  }
}

void linear_scan(benchmark::State& state) {
  turns<FairQueue<LinearScan>>(state);
}
void array_of_queues(benchmark::State& state) {
  turns<ArrayOfQueues>(state);
}
void heap(benchmark::State& state) {
  turns<FairQueue<DaryHeap>>(state);
}
void wheel(benchmark::State& state) {
  turns<FairQueue<CalendarWheel>>(state);
}

void streams(benchmark::internal::Benchmark* benchmark) {
  for (const int count : {10, 100, 256, 1'000}) benchmark->Arg(count);
}

BENCHMARK(linear_scan)->Apply(streams);
BENCHMARK(array_of_queues)->Apply(streams);
BENCHMARK(heap)->Apply(streams);
BENCHMARK(wheel)->Apply(streams);
BENCHMARK(whole_scheduler)->Apply(streams);

}  // namespace
}  // namespace optimux::http
