/// \file
/// Workers by number.
#pragma once

#include "optimux/pool/job.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace optimux::pool::detail {

/// A hash table of objects with an `index()`: open addressing with linear probing and no tombstones, at most 7/8 full.
/// It costs 9 to 18 bytes a worker, where a node-based map costs 48. Not thread-safe.
template <class Worker>
class WorkerTable {
 public:
  /// Takes `worker` in. Throws, and leaves everything as it was, when there is no memory.
  Worker& insert(std::unique_ptr<Worker>&& worker) {
    if (places_.size() * 7 <= (size_ + 1) * 8) grow();
    Worker& inserted = *worker;
    place_for(inserted.index()) = std::move(worker);
    ++size_;
    return inserted;
  }
  /// The worker of that number; null when there is none.
  [[nodiscard]] Worker* find(WorkerIndex index) { return size_ == 0 ? nullptr : place_for(index).get(); }
  /// Gives the worker out; null when there is none.
  std::unique_ptr<Worker> remove(WorkerIndex index) {
    if (find(index) == nullptr) return nullptr;
    std::size_t hole = static_cast<std::size_t>(&place_for(index) - places_.data());
    std::unique_ptr<Worker> removed = std::move(places_[hole]);
    --size_;
    // Those behind the hole that could not be found across it move up.
    for (std::size_t at = next(hole); places_[at]; at = next(at)) {
      const std::size_t home = home_of(places_[at]->index());
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      places_[hole] = std::move(places_[at]);
      hole = at;
    }
    return removed;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kFirstSize = 8;
  [[nodiscard]] std::size_t mask() const { return places_.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). Taken as they are, numbers in a row would make
  // one cluster of the whole table, and each removal would go through all of it.
  [[nodiscard]] std::size_t home_of(WorkerIndex index) const {
    return static_cast<std::size_t>((index * 0x9E3779B97F4A7C15U) >> 32) & mask();
  }
  std::unique_ptr<Worker>& place_for(WorkerIndex index) {
    std::size_t at = home_of(index);
    while (places_[at] && places_[at]->index() != index) at = next(at);
    return places_[at];
  }
  void grow() {
    std::vector<std::unique_ptr<Worker>> old(places_.empty() ? kFirstSize : places_.size() * 2);
    old.swap(places_);
    for (std::unique_ptr<Worker>& worker : old) {
      if (worker) place_for(worker->index()) = std::move(worker);
    }
  }

  std::vector<std::unique_ptr<Worker>> places_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace optimux::pool::detail
