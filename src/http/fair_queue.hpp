#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace optimux::http {

/// Weighted fair queueing in bytes (Demers, Keshav and Shenker, 1989): flows that share a line, each by its weight.
///
/// Virtual time is in bytes over weight, in units of 2^-28. A flow has a *finish*: the virtual time up to which it has
/// been served. What it is behind by, its *lag*, is (virtual time - finish) * weight; the virtual time is the mean of
/// the finishes by weight, the moment at which all lags add up to nothing. So it needs no simulation of an ideal
/// server, and follows at once when flows come and go. The turn is of the flow whose next quantum has its middle first.
/// With middles, where the classic algorithm takes ends, lags are as often positive as negative and half as large:
/// about one quantum at most for 256 flows of the weights 1 to 256. (A heavy flow among very many light ones of one and
/// the same weight can still be ahead by a tenth of a quantum for each, as in all fair queueing that does not look at
/// what is eligible.)
///
/// `Queue` orders flows by the middles: `CalendarWheel`, or `DaryHeap` as the exact reference. Flows are numbered by
/// the owner, small. Not thread-safe.
template <typename Queue>
class FairQueue {
 public:
  using Flow = typename Queue::Item;

  static constexpr int kMaxWeight = 256;
  /// Bytes of a turn. More may be charged; the bounds then grow with it.
  static constexpr std::size_t kQuantum = 16'384;

  bool empty() const { return queue_.empty(); }

  /// Adds `flow`, which is not in it, with a weight of 1 to `kMaxWeight`. `lag` is what it brings along, in bytes, as
  /// `leave` gave it: positive when it is owed service. Beyond a quantum, either way, it is forgotten.
  void join(Flow flow, int weight, std::int64_t lag = 0) {
    assert(weight >= 1 && weight <= kMaxWeight);
    if (flow >= places_.size()) places_.resize(flow + std::size_t{1});
    rebase();
    lag = std::clamp(lag, -kMostLag, kMostLag);
    places_[flow] = {now_ - static_cast<std::uint64_t>(lag * step(weight)), weight};
    enter(places_[flow], 1);
    if (queue_.empty()) queue_.begin_at(now_ - kEarliest);
    queue_.insert(flow, middle(places_[flow]));
  }
  /// Takes out `flow`, which is in it, and gives its lag in bytes.
  std::int64_t leave(Flow flow) {
    queue_.erase(flow);
    rebase();
    const Place& place = places_[flow];
    const std::int64_t lag = -ahead(place) / step(place.weight);
    enter(place, -1);
    return lag;
  }
  /// `flow`, which is in it, has sent `bytes`.
  void charge(Flow flow, std::size_t bytes) {
    Place& place = places_[flow];
    const std::int64_t served = static_cast<std::int64_t>(bytes) * step(place.weight);
    place.finish += static_cast<std::uint64_t>(served);
    total_ahead_ += served * place.weight;
    if (total_ahead_ > kFarAhead) rebase();
    queue_.requeue(flow, middle(place));
  }
  /// The flow whose turn it is. The queue is not empty.
  Flow front() const { return queue_.front(); }

 private:
  struct Place {
    std::uint64_t finish = 0;
    int weight = 0;
  };

  static constexpr int kFractionBits = 28;
  static constexpr std::int64_t kMostLag = static_cast<std::int64_t>(kQuantum);
  // How far before the virtual time the middle of a flow can lie: of weight 1, and behind by all that it may be.
  static constexpr std::uint64_t kEarliest = (std::uint64_t{1} << kFractionBits) * (kQuantum / 2);
  // A sum of this size leaves two bits for what a turn adds.
  static constexpr std::int64_t kFarAhead = std::int64_t{1} << 60;

  // Virtual time of one byte at each weight, rounded: off by less than 1 in 2^20, a quantum in 16 GB.
  static constexpr auto kSteps = [] {
    std::array<std::int64_t, kMaxWeight + 1> steps{};
    for (int weight = 1; weight <= kMaxWeight; ++weight)
      steps[static_cast<std::size_t>(weight)] = ((std::int64_t{1} << kFractionBits) + weight / 2) / weight;
    return steps;
  }();
  static std::int64_t step(int weight) { return kSteps[static_cast<std::size_t>(weight)]; }

  static std::uint64_t middle(const Place& place) {
    return place.finish + static_cast<std::uint64_t>(step(place.weight)) * (kQuantum / 2);
  }
  std::int64_t ahead(const Place& place) const { return static_cast<std::int64_t>(place.finish - now_); }

  void enter(const Place& place, int sign) {
    total_weight_ += sign * place.weight;
    total_ahead_ += sign * place.weight * ahead(place);
  }

  // Moves `now_` to the present virtual time. It is not followed in between, since that would take a division a turn.
  void rebase() {
    if (total_weight_ == 0) return;
    const std::int64_t passed = total_ahead_ / total_weight_;
    now_ += static_cast<std::uint64_t>(passed);
    total_ahead_ -= passed * total_weight_;
  }

  Queue queue_;
  std::vector<Place> places_;      // by flow
  std::uint64_t now_ = 0;          // the virtual time when it was last needed
  std::int64_t total_weight_ = 0;  // of the flows that are in
  std::int64_t total_ahead_ = 0;   // sum of (finish - now_) * weight over them
};

}  // namespace optimux::http
