#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// Sources that failed a moment ago for a reason of their own, so that a flood of requests for a missing or broken
/// picture does not become a flood of fetches and decodes. A source whose header is good may be broken further on: then
/// only what needs that part fails, and only that is remembered (its description, its first page or a cut out of it may
/// well be had). Bounded: the oldest is forgotten when there are too many.
/// Thread-safe; nothing blocks for longer than a short mutex.
class FailureMemory {
 public:
  using Clock = base::Deadline::Clock;

  /// Sources that are remembered. A failure takes a few hundred bytes.
  static constexpr std::size_t kCapacity = 4096;

  /// Failures are remembered for `kept`; 0 remembers none. `has_local_files` as in `source::Source`.
  explicit FailureMemory(std::chrono::milliseconds kept, bool has_local_files = true)
      : has_local_files_(has_local_files), kept_(kept) {}

  /// Remembers `error` if it says something lasting about the source: kNotFound, kUnsupportedMedia, kBrokenMedia.
  /// Others (time, load, the network, what is not allowed, parameters) say nothing of the next attempt. A local file
  /// that is missing is not remembered: the disk answers as fast, and it may be there a moment later. What is
  /// remembered already keeps its time: it would else last for as long as somebody asks. `part` names what of the
  /// source has failed, in any words but always the same; empty: all of it.
  void remember(const source::SourceLocator& source, const base::Error& error, Clock::time_point now,
                std::string_view part = {}) OPTIMUX_EXCLUDES(mutex_);

  /// The failure of `source`, or of that part of it, if it is still remembered at `now`.
  std::optional<base::Error> find(const source::SourceLocator& source, Clock::time_point now,
                                  std::string_view part = {}) OPTIMUX_EXCLUDES(mutex_);

  /// Forgets the failures of the source with the canonical text `place`, those of all sources for an empty one. Looks
  /// at all that there are: for what an administrator does.
  void forget(const std::string& place) OPTIMUX_EXCLUDES(mutex_);

  /// From now on failures are remembered for `kept`; those known already keep their time, but for 0, which forgets all.
  void set_time(std::chrono::milliseconds kept) OPTIMUX_EXCLUDES(mutex_);

  /// Failures that were found, since the start.
  std::uint64_t hits() const OPTIMUX_EXCLUDES(mutex_);

 private:
  struct Entry {
    base::Error error;
    Clock::time_point until;
  };

  bool is_lasting(const source::SourceLocator& source, base::ErrorCode code) const;
  const base::Error* find_entry(const std::string& key, Clock::time_point now) const OPTIMUX_REQUIRES(mutex_);

  const bool has_local_files_;
  mutable base::Mutex mutex_;
  std::chrono::milliseconds kept_ OPTIMUX_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Entry> entries_ OPTIMUX_GUARDED_BY(mutex_);
  std::deque<std::string> order_ OPTIMUX_GUARDED_BY(mutex_);  ///< Keys of all entries, oldest first.
  std::uint64_t hits_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

}  // namespace optimux::service
