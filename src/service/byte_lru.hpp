#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace optimux::service {

/// Values under texts, bounded by bytes: the one used longest ago leaves first. Looking up, insertion and each eviction
/// take constant time. `KeyOf()(value)` is the text, which lives and stays as it is for as long as the value; one of
/// the same text takes the place of the older one. No value costs more than a quarter of the capacity: it would push
/// out many others for the sake of one.
///
/// Not thread-safe: a cache guards it with its mutex. What leaves is handed to the caller, who lets go of it after the
/// mutex, because to free megabytes takes time.
///
/// Invariants: the list holds every entry once, most recently used first; the index points at each of them; the bytes
/// of all are what `figures` says and never above the capacity.
template <typename Value, typename KeyOf>
class ByteLru {
  struct Entry {
    Value value;
    std::uint64_t cost = 0;
  };

 public:
  struct Figures {
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
    std::uint64_t evictions = 0;  ///< Entries that had to make room, since the start.
  };

  /// Entries that have left.
  using Removed = std::list<Entry>;

  /// Keeps values of up to `capacity` bytes in all; 0 keeps nothing.
  explicit ByteLru(std::uint64_t capacity) : capacity_(capacity) {}

  /// The value of that text; null if there is none. Valid until the next call that is not const.
  const Value* peek(std::string_view key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? nullptr : &found->second->value;
  }
  /// The same, now the most recently used.
  const Value* find(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->value;
  }

  /// Whether a value that costs so much is ever kept.
  bool has_room_for(std::uint64_t cost) const { return cost <= capacity_ / kLargestShare; }
  /// Keeps `value`, which costs `cost` bytes, if there is ever room for it. What was kept of its text leaves either
  /// way.
  Removed insert(Value value, std::uint64_t cost) {
    Removed removed = erase(KeyOf()(value));
    if (!has_room_for(cost)) return removed;
    entries_.push_front(Entry{std::move(value), cost});
    index_.emplace(KeyOf()(entries_.front().value), entries_.begin());
    bytes_ += cost;
    evict_above(capacity_, removed);
    return removed;
  }

  /// Forgets the value of that text, those that `predicate` is true of, or all.
  Removed erase(std::string_view key) {
    Removed removed;
    if (const auto found = index_.find(key); found != index_.end()) unlink(found->second, removed);
    return removed;
  }
  template <typename Predicate>
  Removed erase_if(const Predicate& predicate) {
    Removed removed;
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (predicate(entry->value)) unlink(entry, removed);
      entry = next;
    }
    return removed;
  }
  Removed clear() {
    index_.clear();
    bytes_ = 0;
    return std::exchange(entries_, {});
  }

  /// From now on keeps up to `capacity` bytes; evicts at once what is over.
  Removed set_capacity(std::uint64_t capacity) {
    Removed removed;
    capacity_ = capacity;
    evict_above(capacity_, removed);
    return removed;
  }
  /// Drops those used longest ago until half of the bytes are left, once.
  Removed halve() {
    Removed removed;
    evict_above(bytes_ / 2, removed);
    return removed;
  }

  Figures figures() const { return {bytes_, entries_.size(), evictions_}; }

 private:
  static constexpr std::uint64_t kLargestShare = 4;
  using Entries = std::list<Entry>;

  void unlink(typename Entries::iterator entry, Removed& removed) {
    bytes_ -= entry->cost;
    index_.erase(KeyOf()(entry->value));
    removed.splice(removed.end(), entries_, entry);
  }
  void evict_above(std::uint64_t bytes, Removed& removed) {
    while (bytes_ > bytes) {
      unlink(std::prev(entries_.end()), removed);
      ++evictions_;
    }
  }

  std::uint64_t capacity_;
  Entries entries_;
  std::unordered_map<std::string_view, typename Entries::iterator> index_;
  std::uint64_t bytes_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace optimux::service
