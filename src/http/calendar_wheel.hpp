#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "http/index_set.hpp"

namespace optimux::http {

/// Small items in the order of 64-bit keys, which are moments of a virtual time that moves on as items take their
/// turns: a calendar queue (R. Brown, 1988). Time is cut into slots of `kSlotWidth`; 4,096 of them, from the one of the
/// last turn on, are in reach. A slot is a list in the order of arrival, and a bit map finds the first that is not
/// empty. Thus every operation takes constant time, however many items there are, where a heap takes a logarithm.
///
/// Order: by slot, and within a slot by arrival. An item can take its turn before another whose key is less only if
/// both keys are in the same slot, or the other arrived with a key before the slot of the last turn, or either lies
/// beyond the reach.
///
/// Keys are compared by their difference, so that time may run over the end of 64 bits. Not thread-safe. Takes 8.5 KiB,
/// and 6 bytes for each item.
class CalendarWheel {
 public:
  using Item = std::uint16_t;

  static constexpr std::size_t kSlots = IndexSet::kCapacity;
  static constexpr int kSlotBits = 31;
  static constexpr std::uint64_t kSlotWidth = std::uint64_t{1} << kSlotBits;

  bool empty() const { return occupied_.empty(); }

  /// Moves time to the slot of `moment`, as if the last turn had been there. The wheel is empty.
  void begin_at(std::uint64_t moment) {
    assert(empty());
    now_ = moment & ~(kSlotWidth - 1);
  }
  /// Adds `item`, which is not in it. A key before the slot of the last turn counts as in that slot, and one beyond the
  /// reach as in the last one.
  void insert(Item item, std::uint64_t key) {
    if (item >= links_.size()) links_.resize(item + std::size_t{1});
    link(item, slot_of(key));
  }
  /// Takes out `item`, which is in it.
  void erase(Item item) { unlink(item); }
  /// `item`, which is in it, took a turn and is due again at `key`. When it was the first, time moves to its slot.
  void requeue(Item item, std::uint64_t key) {
    if (item == front()) move_to(links_[item].slot);
    unlink(item);
    link(item, slot_of(key));
  }
  /// The item that is first. The wheel is not empty.
  Item front() const { return heads_[occupied_.first_from(slot_now())]; }

 private:
  struct Link {
    Item previous = 0;
    Item next = 0;
    std::uint16_t slot = 0;
  };

  std::size_t slot_now() const { return (now_ >> kSlotBits) % kSlots; }
  void move_to(std::size_t slot) { now_ += ((slot - slot_now()) % kSlots) << kSlotBits; }

  std::size_t slot_of(std::uint64_t key) const {
    const auto ahead = static_cast<std::int64_t>(key - now_) >> kSlotBits;
    if (ahead <= 0) return slot_now();
    const std::size_t reach = ahead < static_cast<std::int64_t>(kSlots) ? static_cast<std::size_t>(ahead) : kSlots - 1;
    return (slot_now() + reach) % kSlots;
  }

  void link(Item item, std::size_t slot) {
    Link& own = links_[item];
    own.slot = static_cast<std::uint16_t>(slot);
    if (!occupied_.contains(slot)) {
      occupied_.insert(slot);
      heads_[slot] = own.previous = own.next = item;
      return;
    }
    const Item head = heads_[slot];
    own.previous = links_[head].previous;
    own.next = head;
    links_[own.previous].next = item;
    links_[head].previous = item;
  }

  void unlink(Item item) {
    const Link& own = links_[item];
    if (own.next == item) return occupied_.erase(own.slot);
    links_[own.previous].next = own.next;
    links_[own.next].previous = own.previous;
    if (heads_[own.slot] == item) heads_[own.slot] = own.next;
  }

  std::uint64_t now_ = 0;             // where the slot of the last turn begins
  IndexSet occupied_;                 // the slots that are not empty
  std::array<Item, kSlots> heads_{};  // the first item of each of them; the lists are rings
  std::vector<Link> links_;           // by item
};

}  // namespace optimux::http
