#include "optimux/pool/timer_wheel.hpp"

#include "optimux/pool/detail/check.hpp"

#include <algorithm>
#include <bit>

namespace optimux::pool {

using detail::Posted;
using detail::PostedList;

TimerWheel::Tick TimerWheel::tick_of(TimePoint when) {
  return static_cast<Tick>(std::max<Duration::rep>(when.time_since_epoch().count(), 0)) >> kTickBits;
}

void TimerWheel::set(Timer& timer, TimePoint when) {
  OPTIMUX_POOL_CHECK(!timer.is_set(), "a timer is set once at a time");
  timer.when_ = when;
  ++size_;
  put(timer);
}

void TimerWheel::put(Timer& timer) {
  const Tick tick = std::max(tick_of(timer.when_), tick_);
  const Tick differs = tick ^ tick_;
  const std::size_t level = differs == 0 ? 0 : (static_cast<std::size_t>(std::bit_width(differs)) - 1) / kLevelBits;
  const auto slot = static_cast<std::size_t>(digit(tick, level));
  Posted*& head = levels_[level].slots[slot];
  timer.next = head;
  if (head != nullptr) static_cast<Timer*>(head)->link_ = &timer.next;
  timer.link_ = &head;
  head = &timer;
  levels_[level].occupied[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void TimerWheel::cancel(Timer& timer) {
  if (!timer.is_set()) return;
  *timer.link_ = timer.next;
  if (timer.next != nullptr) static_cast<Timer*>(timer.next)->link_ = timer.link_;
  timer.link_ = nullptr;
  --size_;
}

// All timers of a level share the digits above it with the present tick, so every timer of a lower level comes before
// every timer of a higher one, and within a level the slots are in order.
auto TimerWheel::first_occupied() const -> std::optional<Place> {
  for (std::size_t level = 0; level < kLevels; ++level) {
    for (std::size_t word = 0; word < kSlots / 64; ++word) {
      const std::uint64_t bits = levels_[level].occupied[word];
      if (bits == 0) continue;
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      const std::size_t shift = level * kLevelBits;
      const Tick above = tick_ >> shift >> kLevelBits << kLevelBits << shift;
      return Place{level, slot, above + (static_cast<Tick>(slot) << shift)};
    }
  }
  return std::nullopt;
}

Posted* TimerWheel::take(const Place& place) {
  Level& level = levels_[place.level];
  level.occupied[place.slot / 64] &= ~(std::uint64_t{1} << (place.slot % 64));
  return std::exchange(level.slots[place.slot], nullptr);
}

void TimerWheel::advance(TimePoint now, PostedList& due) {
  const Tick target = std::max(tick_of(now), tick_);
  for (;;) {
    const std::optional<Place> place = first_occupied();
    if (!place || place->start > target) break;
    tick_ = std::max(tick_, place->start);
    Posted* next = nullptr;
    for (Posted* posted = take(*place); posted != nullptr; posted = next) {
      next = posted->next;
      auto& timer = static_cast<Timer&>(*posted);
      if (timer.when_ > now) {
        put(timer);  // on a lower level, or back into the present tick
        continue;
      }
      timer.link_ = nullptr;
      --size_;
      due.push(timer);
    }
    if (place->level == 0 && place->start == target) break;
  }
  tick_ = target;
}

void TimerWheel::take_all(PostedList& timers) {
  while (const std::optional<Place> place = first_occupied()) {
    Posted* next = nullptr;
    for (Posted* posted = take(*place); posted != nullptr; posted = next) {
      next = posted->next;
      static_cast<Timer*>(posted)->link_ = nullptr;
      timers.push(*posted);
    }
  }
  size_ = 0;
}

TimePoint TimerWheel::next_due() const {
  const std::optional<Place> place = first_occupied();
  if (!place || size_ == 0) return kNever;
  if (place->level > 0) return TimePoint(Duration(static_cast<Duration::rep>(place->start << kTickBits)));
  TimePoint first = kNever;
  for (const Posted* posted = levels_[0].slots[place->slot]; posted != nullptr; posted = posted->next) {
    first = std::min(first, static_cast<const Timer*>(posted)->when_);
  }
  // A slot that is empty by now is cleared when its tick comes.
  return first == kNever ? TimePoint(Duration(static_cast<Duration::rep>(place->start << kTickBits))) : first;
}

}  // namespace optimux::pool
