#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "service/byte_lru.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// Sources in memory as they were fetched, bounded by bytes, so that ten sizes of a picture that are asked for one
/// after another fetch it once; the one used longest ago leaves first (`ByteLru`). Stale ones stay for as long as there
/// is room: their origin can be asked whether they still hold. Thread-safe; nothing blocks for longer than a short
/// mutex.
class SourceCache {
 public:
  using Clock = std::chrono::steady_clock;

 private:
  struct Entry {
    std::string place;
    source::FetchedSource source;
    Clock::time_point asked;
  };
  struct KeyOf {
    std::string_view operator()(const Entry& entry) const { return entry.place; }
  };
  using Entries = ByteLru<Entry, KeyOf>;

 public:
  using Figures = Entries::Figures;

  /// What is kept of a place.
  struct Kept {
    source::FetchedSource source;
    bool is_fresh = false;  ///< It may be used without asking the origin.
  };

  /// Keeps up to `capacity` bytes, 0 keeps nothing. `lifetime` is how long a source is fresh whose origin does not say
  /// (`OriginFreshness::lifetime_or`).
  SourceCache(std::uint64_t capacity, std::chrono::milliseconds lifetime) : lifetime_(lifetime), entries_(capacity) {}

  /// What is kept of `place`, a locator's canonical text; now the most recently used.
  std::optional<Kept> find(std::string_view place, Clock::time_point now) OPTIMUX_EXCLUDES(mutex_);

  /// Keeps `source`, which has bytes and was asked for at `asked`, in place of what was kept of `place`. Nothing is
  /// kept then of a source whose origin forbids it, that could only be fetched again each time, or for which there is
  /// never room.
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
  bool is_fresh_now(const source::SourceFacts& facts, Clock::time_point asked, Clock::time_point now) const
      OPTIMUX_REQUIRES(mutex_);
  bool is_worth_keeping(const source::SourceFacts& facts) const OPTIMUX_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::chrono::milliseconds lifetime_ OPTIMUX_GUARDED_BY(mutex_);
  Entries entries_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service
