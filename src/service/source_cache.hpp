#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// Sources in memory as they were fetched, bounded by bytes, so that ten sizes of a picture that are asked for one
/// after another fetch it once; the one used longest ago leaves first. Stale ones stay for as long as there is room:
/// their origin can be asked whether they still hold. Thread-safe; nothing blocks for longer than a short mutex.
///
/// Invariants: the list holds every entry once, most recently used first; the index points at each of them; the bytes
/// of all are what `figures` says and never above the capacity.
class SourceCache {
 public:
  using Clock = std::chrono::steady_clock;

  struct Figures {
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
    std::uint64_t evictions = 0;  ///< Entries that had to make room, since the start.
  };

  /// What is kept of a place.
  struct Kept {
    source::FetchedSource source;
    bool is_fresh = false;  ///< It may be used without asking the origin.
  };

  /// Keeps up to `capacity` bytes, 0 keeps nothing. `lifetime` is how long a source is fresh whose origin does not say
  /// (`OriginFreshness::lifetime_or`).
  SourceCache(std::uint64_t capacity, std::chrono::milliseconds lifetime) : capacity_(capacity), lifetime_(lifetime) {}

  /// What is kept of `place`, a locator's canonical text; now the most recently used.
  std::optional<Kept> find(std::string_view place, Clock::time_point now) OPTIMUX_EXCLUDES(mutex_);

  /// Keeps `source`, which has bytes and was asked for at `asked`, in place of what was kept of `place`. Nothing is
  /// kept then of a source whose origin forbids it, that could only be fetched again each time, or that would take more
  /// than a quarter of the capacity.
  void insert(const std::string& place, source::FetchedSource source, Clock::time_point asked) OPTIMUX_EXCLUDES(mutex_);

  /// Forgets what is kept of `place`, or of all places.
  void erase(std::string_view place) OPTIMUX_EXCLUDES(mutex_);
  void clear() OPTIMUX_EXCLUDES(mutex_);

  /// From now on keeps up to `capacity` bytes; evicts at once what is over.
  void set_capacity(std::uint64_t capacity) OPTIMUX_EXCLUDES(mutex_);

  /// Drops those used longest ago until half of the bytes are left, once.
  void halve() OPTIMUX_EXCLUDES(mutex_);

  /// From now on sources whose origins do not say are fresh for `lifetime`, also those that are kept already.
  void set_lifetime(std::chrono::milliseconds lifetime) OPTIMUX_EXCLUDES(mutex_);

  /// Whether `source`, asked for at `asked`, may be used at `now` without asking its origin.
  bool is_fresh(const source::FetchedSource& source, Clock::time_point asked, Clock::time_point now) const
      OPTIMUX_EXCLUDES(mutex_);

  Figures figures() const OPTIMUX_EXCLUDES(mutex_);

  /// Memory that `source` costs when kept.
  static std::uint64_t cost_of(std::string_view place, const source::FetchedSource& source);

 private:
  struct Entry {
    std::string place;
    source::FetchedSource source;
    Clock::time_point asked;
    std::uint64_t cost = 0;
  };
  using Entries = std::list<Entry>;

  bool is_fresh_now(const source::SourceFacts& facts, Clock::time_point asked, Clock::time_point now) const
      OPTIMUX_REQUIRES(mutex_);
  bool is_worth_keeping(const source::SourceFacts& facts, std::uint64_t cost) const OPTIMUX_REQUIRES(mutex_);
  void unlink(Entries::iterator entry, Entries& removed) OPTIMUX_REQUIRES(mutex_);
  void evict_above(std::uint64_t bytes, Entries& removed) OPTIMUX_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::uint64_t capacity_ OPTIMUX_GUARDED_BY(mutex_);
  std::chrono::milliseconds lifetime_ OPTIMUX_GUARDED_BY(mutex_);
  Entries entries_ OPTIMUX_GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, Entries::iterator> index_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t bytes_ OPTIMUX_GUARDED_BY(mutex_) = 0;
  std::uint64_t evictions_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

}  // namespace optimux::service
