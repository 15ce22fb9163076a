#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace optimux::http {

/// Small items in the exact order of 64-bit keys, equal ones by arrival: a heap of four children a node, which knows
/// the place of each item. Operations take logarithmic time. It is what `CalendarWheel` approximates, with the same
/// interface, and what that one is measured against. Keys are compared by their difference, so that they may run over
/// the end of 64 bits. Not thread-safe.
class DaryHeap {
 public:
  using Item = std::uint16_t;

  bool empty() const { return entries_.empty(); }

  /// Does nothing: any key is in reach.
  void begin_at(std::uint64_t) {}
  /// Adds `item`, which is not in it.
  void insert(Item item, std::uint64_t key) {
    if (item >= places_.size()) places_.resize(item + std::size_t{1});
    entries_.push_back({key, arrivals_++, item});
    rise(entries_.size() - 1);
  }
  /// Takes out `item`, which is in it.
  void erase(Item item) {
    const std::size_t place = places_[item];
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.item == item) return;
    put(last, place);
    settle(place);
  }
  /// `item`, which is in it, took a turn and is due again at `key`: behind those that wait with an equal one.
  void requeue(Item item, std::uint64_t key) {
    const std::size_t place = places_[item];
    put({key, arrivals_++, item}, place);
    settle(place);
  }
  /// The item of the least key. The heap is not empty.
  Item front() const { return entries_.front().item; }

 private:
  static constexpr std::size_t kChildren = 4;

  struct Entry {
    std::uint64_t key;
    std::uint64_t arrival;
    Item item;

    bool operator<(const Entry& other) const {
      const auto difference = static_cast<std::int64_t>(key - other.key);
      return difference != 0 ? difference < 0 : arrival < other.arrival;
    }
  };

  void put(const Entry& entry, std::size_t place) {
    entries_[place] = entry;
    places_[entry.item] = place;
  }

  void settle(std::size_t place) {
    const Item item = entries_[place].item;
    sink(place);
    rise(places_[item]);
  }

  void rise(std::size_t place) {
    const Entry entry = entries_[place];
    for (; place > 0 && entry < entries_[(place - 1) / kChildren]; place = (place - 1) / kChildren)
      put(entries_[(place - 1) / kChildren], place);
    put(entry, place);
  }

  void sink(std::size_t place) {
    const Entry entry = entries_[place];
    for (std::size_t child = least_child(place); child < entries_.size() && entries_[child] < entry;
         child = least_child(place)) {
      put(entries_[child], place);
      place = child;
    }
    put(entry, place);
  }

  // The place of the least of the children, or beyond the end where there is none.
  std::size_t least_child(std::size_t place) const {
    const std::size_t first = place * kChildren + 1;
    std::size_t least = first;
    for (std::size_t child = first + 1; child < first + kChildren && child < entries_.size(); ++child)
      if (entries_[child] < entries_[least]) least = child;
    return least;
  }

  std::vector<Entry> entries_;
  std::vector<std::size_t> places_;  // by item
  std::uint64_t arrivals_ = 0;
};

}  // namespace optimux::http
