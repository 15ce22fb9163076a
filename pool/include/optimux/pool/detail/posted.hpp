/// \file
/// What waits to be run by a loop thread: a link in a list, embedded in whatever it belongs to, so that nothing is
/// allocated for it.
#pragma once

#include <utility>

namespace optimux::pool::detail {

/// One thing to run. It is in one list at a time, and its owner keeps it in place until it has been run.
struct Posted {
  using Run = void (*)(Posted&);
  Posted() = default;
  explicit Posted(Run to_run) : run(to_run) {}
  Posted* next = nullptr;
  Run run = nullptr;  ///< Called once for each time that it was posted; may destroy it.
};

/// First in, first out. Not thread-safe.
class PostedList {
 public:
  PostedList() = default;
  PostedList(const PostedList&) = delete;
  PostedList& operator=(const PostedList&) = delete;
  ~PostedList() = default;

  /// True when nothing waits.
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  /// Appends `posted`.
  void push(Posted& posted) {
    posted.next = nullptr;
    *end_ = &posted;
    end_ = &posted.next;
  }
  /// Takes the oldest out; null when there is none.
  Posted* pop() {
    Posted* const first = first_;
    if (first == nullptr) return nullptr;
    first_ = first->next;
    if (first_ == nullptr) end_ = &first_;
    return first;
  }
  /// Takes over everything in `other`, behind what is here.
  void append(PostedList& other) {
    if (other.empty()) return;
    *end_ = other.first_;
    end_ = std::exchange(other.end_, &other.first_);
    other.first_ = nullptr;
  }

 private:
  Posted* first_ = nullptr;
  Posted** end_ = &first_;
};

}  // namespace optimux::pool::detail
