/// \file
/// Timers by the hundred thousand: setting, cancelling and firing one takes constant time.
#pragma once

#include "optimux/pool/clock.hpp"
#include "optimux/pool/detail/posted.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace optimux::pool {

/// A timer, embedded in what waits for it. Must stay where it is while it is set. Once it has fired it is in the list
/// that `advance` was given, and is its owner's again when it has been run.
class Timer : public detail::Posted {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() = default;

  /// When it fires, or fired.
  [[nodiscard]] TimePoint when() const { return when_; }
  /// True between `TimerWheel::set` and the moment at which it fires or is cancelled.
  [[nodiscard]] bool is_set() const { return link_ != nullptr; }

 protected:
  /// For owners that know the moment before the timer is set.
  explicit Timer(TimePoint when) : when_(when) {}

 private:
  friend class TimerWheel;
  Posted** link_ = nullptr;  // what points here, so that unlinking needs no search
  TimePoint when_{};
};

/// A hierarchical timing wheel (Varghese and Lauck, 1987): seven levels of 256 slots; a slot of level 0 is a tick of
/// 2^13 ns (8.2 us), one of level n is 256^n ticks, and level 6 reaches beyond the end of the clock. A timer is put
/// where its tick first differs from the present one and moves down at most six times on its way. Ticks only sort:
/// a timer fires at its own moment, neither before it nor rounded up. Equal moments fire in any order. Not
/// thread-safe; allocates nothing.
class TimerWheel {
 public:
  TimerWheel() = default;
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  ~TimerWheel() = default;

  /// Sets `timer`, which is not set, to fire at `when`. A moment in the past fires with the next `advance`.
  void set(Timer& timer, TimePoint when);
  /// Takes `timer` out if it is set.
  void cancel(Timer& timer);
  /// Appends every timer whose moment is not after `now` to `due`. `now` must not go back.
  void advance(TimePoint now, detail::PostedList& due);
  /// Appends every timer, due or not.
  void take_all(detail::PostedList& timers);

  /// A moment by which `advance` need not be called yet: not after the first timer fires, and earlier only when that is
  /// more than 256 ticks off or a timer before it was cancelled. `kNever` when nothing is set.
  [[nodiscard]] TimePoint next_due() const;
  /// How many timers are set.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr unsigned kTickBits = 13;
  static constexpr unsigned kLevelBits = 8;
  static constexpr std::size_t kLevels = 7;
  static constexpr std::size_t kSlots = std::size_t{1} << kLevelBits;
  using Tick = std::uint64_t;

  struct Level {
    std::array<detail::Posted*, kSlots> slots{};
    std::array<std::uint64_t, kSlots / 64> occupied{};  // may still be set for a slot whose timers were cancelled
  };
  struct Place {
    std::size_t level;
    std::size_t slot;
    Tick start;
  };

  static Tick tick_of(TimePoint when);
  static Tick digit(Tick tick, std::size_t level) { return (tick >> (level * kLevelBits)) & (kSlots - 1); }
  [[nodiscard]] std::optional<Place> first_occupied() const;
  detail::Posted* take(const Place& place);
  void put(Timer& timer);

  std::array<Level, kLevels> levels_{};
  Tick tick_ = 0;  // no timer stands before it
  std::size_t size_ = 0;
};

}  // namespace optimux::pool
