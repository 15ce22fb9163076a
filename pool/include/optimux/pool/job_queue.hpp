/// \file
/// The first-in, first-out queue of a pool. Plain data without a lock: `HandOff` guards it.
#pragma once

#include "optimux/pool/detail/check.hpp"
#include "optimux/pool/job.hpp"
#include "optimux/pool/job_list.hpp"

#include <algorithm>
#include <vector>

namespace optimux::pool {

/// A list of nodes from whose middle entries can leave (cancelled, expired), and which knows their deadlines. `Node` is
/// a `JobNode` whose entry has a `deadline`. All operations take constant time, but for those that touch a deadline,
/// which cost the logarithm of the number of waiting jobs that have one. Owns no node.
template <class Node>
class JobQueue {
 public:
  /// How many entries wait.
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  /// True when none waits.
  [[nodiscard]] bool empty() const { return list_.empty(); }
  /// The oldest; null when empty.
  [[nodiscard]] Node* front() const { return list_.front(); }

  /// Makes room for one more deadline, so that the next `push` does not throw.
  void reserve() {
    if (heap_.size() == heap_.capacity()) heap_.reserve(std::max<std::size_t>(16, 2 * heap_.size()));
  }
  /// Appends a node.
  void push(Node* node) {
    list_.push(node);
    if (node->entry.deadline != kNever) add_deadline(node);
  }
  /// Appends nodes without deadlines, in constant time.
  void push_all(JobList<Node>&& nodes) { list_.splice(std::move(nodes)); }

  /// Removes the oldest node. The queue must not be empty.
  Node* pop() { return remove(list_.front()); }

  /// Removes `node`, wherever it stands.
  Node* remove(Node* node) {
    OPTIMUX_POOL_CHECK(node != nullptr && !list_.empty(), "an entry leaves the queue once");
    if (node->heap_at != Node::kNowhere) remove_deadline(node->heap_at);
    list_.remove(node);
    return node;
  }

  /// The earliest deadline of all that wait; `kNever` when none has one.
  [[nodiscard]] TimePoint earliest_deadline() const { return heap_.empty() ? kNever : deadline(heap_.front()); }

  /// Removes the node with the earliest deadline, if that is not after `now`; null otherwise.
  Node* pop_expired(TimePoint now) {
    if (heap_.empty() || earliest_deadline() > now) return nullptr;
    return remove(heap_.front());
  }

 private:
  using Place = std::uint32_t;

  static TimePoint deadline(const Node* node) { return node->entry.deadline; }

  void add_deadline(Node* node) {
    heap_.push_back(node);
    sift_up(static_cast<Place>(heap_.size() - 1));
  }

  void remove_deadline(Place at) {
    heap_[at]->heap_at = Node::kNowhere;
    Node* const last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    put(at, last);
    sift_up(at);
    sift_down(last->heap_at);
  }

  void put(Place at, Node* node) {
    heap_[at] = node;
    node->heap_at = at;
  }

  void sift_up(Place at) {
    Node* const node = heap_[at];
    for (; at > 0 && deadline(node) < deadline(heap_[(at - 1) / 2]); at = (at - 1) / 2) put(at, heap_[(at - 1) / 2]);
    put(at, node);
  }

  void sift_down(Place at) {
    Node* const node = heap_[at];
    for (;;) {
      Place child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && deadline(heap_[child + 1]) < deadline(heap_[child])) ++child;
      if (deadline(heap_[child]) >= deadline(node)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, node);
  }

  JobList<Node> list_;
  std::vector<Node*> heap_;
};

}  // namespace optimux::pool
