/// \file
/// The bounded first-in, first-out queue of a pool. Plain data without a lock: `HandOff` guards it.
#pragma once

#include "optimux/pool/detail/check.hpp"
#include "optimux/pool/job.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace optimux::pool {

/// A job that waits, with what its submitter said about it. `Cancellation` is the hand-off's record of its stop token.
template <class Job, class Cancellation>
struct QueuedJob {
  std::optional<Job> job;
  TimePoint deadline = kNever;
  TimePoint accepted_at{};
  OnEnd on_end;
  std::unique_ptr<Cancellation> cancellation;
};

/// A ring of entries linked by index in one growing block, so that an entry can leave from the middle (cancelled,
/// expired) and give its place back at once: all operations take constant time, but for the deadline order, which costs
/// the logarithm of the number of waiting jobs that have one. Entries do not move while they wait. Memory grows to the
/// largest depth seen. Not thread-safe.
template <class Entry>
class JobQueue {
 public:
  /// Names an entry from `push` until it leaves.
  using Place = std::uint32_t;

  /// How many entries wait.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// Appends `entry`.
  Place push(Entry&& entry) {
    const Place place = free_place();
    Node& node = nodes_[place];
    node.entry.emplace(std::move(entry));
    node.previous = tail_;
    node.next = kNone;
    (tail_ == kNone ? head_ : nodes_[tail_].next) = place;
    tail_ = place;
    ++size_;
    if (node.entry->deadline != kNever) add_deadline(place);
    return place;
  }

  /// Removes the oldest entry. The queue must not be empty.
  Entry pop() { return remove(head_); }

  /// Removes the entry at `place`, wherever it stands.
  Entry remove(Place place) {
    OPTIMUX_POOL_CHECK(place < nodes_.size() && nodes_[place].entry, "an entry leaves the queue once");
    Node& node = nodes_[place];
    if (node.heap_at != kNone) remove_deadline(node.heap_at);
    (node.previous == kNone ? head_ : nodes_[node.previous].next) = node.next;
    (node.next == kNone ? tail_ : nodes_[node.next].previous) = node.previous;
    node.next = std::exchange(free_, place);
    --size_;
    Entry entry = std::move(*node.entry);
    node.entry.reset();
    return entry;
  }

  /// The earliest deadline of all that wait; `kNever` when none has one.
  [[nodiscard]] TimePoint earliest_deadline() const { return heap_.empty() ? kNever : deadline(heap_.front()); }

  /// Removes the entry with the earliest deadline, if that is not after `now`.
  std::optional<Entry> pop_expired(TimePoint now) {
    if (earliest_deadline() > now || heap_.empty()) return std::nullopt;
    return remove(heap_.front());
  }

 private:
  static constexpr Place kNone = ~Place{0};
  struct Node {
    std::optional<Entry> entry;
    Place previous = kNone;
    Place next = kNone;  // in a free node: the next free one
    Place heap_at = kNone;
  };

  Place free_place() {
    if (free_ == kNone) {
      nodes_.emplace_back();
      return static_cast<Place>(nodes_.size() - 1);
    }
    return std::exchange(free_, nodes_[free_].next);
  }

  [[nodiscard]] TimePoint deadline(Place place) const { return nodes_[place].entry->deadline; }

  void add_deadline(Place place) {
    heap_.push_back(place);
    sift_up(static_cast<Place>(heap_.size() - 1));
  }

  void remove_deadline(Place at) {
    nodes_[heap_[at]].heap_at = kNone;
    const Place last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    put(at, last);
    sift_up(at);
    sift_down(nodes_[last].heap_at);
  }

  void put(Place at, Place place) {
    heap_[at] = place;
    nodes_[place].heap_at = at;
  }

  void sift_up(Place at) {
    const Place place = heap_[at];
    for (; at > 0 && deadline(place) < deadline(heap_[(at - 1) / 2]); at = (at - 1) / 2) put(at, heap_[(at - 1) / 2]);
    put(at, place);
  }

  void sift_down(Place at) {
    const Place place = heap_[at];
    for (;;) {
      Place child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && deadline(heap_[child + 1]) < deadline(heap_[child])) ++child;
      if (deadline(heap_[child]) >= deadline(place)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, place);
  }

  std::deque<Node> nodes_;  // a deque: growing does not move the entries
  std::vector<Place> heap_;
  Place head_ = kNone;
  Place tail_ = kNone;
  Place free_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace optimux::pool
