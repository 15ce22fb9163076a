/// \file
/// The places that jobs stand in from their acceptance to their end, and lists of them. A job does not move: its place
/// does, from list to list. Plain data without locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace optimux::pool {

/// A place with an entry, linked into at most one list. Each begins a cache line of its own, so that a submitter that
/// fills one does not slow a worker that reads its neighbour.
template <class Entry>
struct alignas(64) JobNode {
  /// No place among the deadlines.
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  /// In its list; null for the latest.
  JobNode* next = nullptr;
  /// In its list; of no meaning for the oldest.
  JobNode* previous = nullptr;
  std::uint32_t heap_at = kNowhere;  ///< Where `JobQueue` keeps its deadline.
  /// What stands in the place.
  Entry entry{};
};

/// Asks the processor for the lines of a node that will soon be changed and that another CPU has changed last. `node`
/// may be null.
template <class Node>
void prefetch(const Node* node) {
  if (node == nullptr) return;
  __builtin_prefetch(node, 1);
  __builtin_prefetch(reinterpret_cast<const char*>(node) + 64, 1);
}

/// A list of nodes, oldest first. It owns none of them. All operations take constant time.
template <class Node>
class JobList {
 public:
  JobList() = default;
  JobList(const JobList&) = delete;
  JobList& operator=(const JobList&) = delete;
  /// Takes the nodes of `other` over, which is empty afterwards.
  JobList(JobList&& other) noexcept
      : head_(std::exchange(other.head_, nullptr)),
        tail_(std::exchange(other.tail_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  JobList& operator=(JobList&&) = delete;
  ~JobList() = default;

  /// How many nodes there are.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// True when there are none.
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// The oldest; null when empty.
  [[nodiscard]] Node* front() const { return head_; }

  /// Appends a node that is in no list.
  void push(Node* node) {
    node->next = nullptr;
    node->previous = tail_;
    (tail_ == nullptr ? head_ : tail_->next) = node;
    tail_ = node;
    ++size_;
  }
  /// Appends all nodes of `other`, which is empty afterwards.
  void splice(JobList&& other) {
    if (other.empty()) return;
    other.head_->previous = tail_;
    (tail_ == nullptr ? head_ : tail_->next) = other.head_;
    tail_ = std::exchange(other.tail_, nullptr);
    size_ += std::exchange(other.size_, 0);
    other.head_ = nullptr;
  }
  /// Takes a node of this list out, wherever it stands.
  void remove(Node* node) {
    if (node == head_) {
      pop();
      return;
    }
    node->previous->next = node->next;
    (node->next == nullptr ? tail_ : node->next->previous) = node->previous;
    --size_;
  }
  /// Takes the oldest out. The list must not be empty. Leaves the next one alone, which another CPU may have written:
  /// what `previous` of the oldest says is not used.
  Node* pop() {
    Node* const node = head_;
    head_ = node->next;
    if (head_ == nullptr) tail_ = nullptr;
    --size_;
    return node;
  }

 private:
  Node* head_ = nullptr;
  Node* tail_ = nullptr;
  std::size_t size_ = 0;
};

/// Owns nodes and gives them out. Grows to the largest number that was ever out at the same time.
template <class Node>
class JobStore {
 public:
  /// A node that is in no list. May allocate.
  Node* take() {
    if (free_.empty()) return &nodes_.emplace_back();
    Node* const node = free_.pop();
    prefetch(free_.front());
    return node;
  }
  /// Takes back nodes whose entries are empty. They are the first to be given out again: they are in the cache.
  void give_back(JobList<Node>&& nodes) {
    nodes.splice(std::move(free_));
    free_.splice(std::move(nodes));
  }
  /// As above, for one.
  void give_back(Node* node) {
    JobList<Node> one;
    one.push(node);
    give_back(std::move(one));
  }

 private:
  std::deque<Node> nodes_;  // a deque: growing does not move the nodes
  JobList<Node> free_;
};

}  // namespace optimux::pool
