#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.hpp"
#include "base/shared_body.hpp"

namespace optimux::service {

/// What belongs to a rendition beside its bytes. Known, and final, once the source has been inspected: readers that
/// wait are woken then, and the render is still to come.
struct RenditionFacts {
  std::string
      etag;  ///< Strong, quotes included; from the source's fingerprint and the rendition key. Empty: not known yet.
  std::string cache_control;  ///< What the origin said of its source, empty if nothing.
  std::optional<std::chrono::system_clock::time_point> last_modified;  ///< Of the source.
  std::string source_etag{};         ///< The origin's validator for the source, empty if none.
  std::string source_place{};        ///< Where that belongs to, as in `source::SourceValidators`.
  std::string source_fingerprint{};  ///< `base::fingerprint` of the source's bytes.

  bool operator==(const RenditionFacts&) const = default;
};

/// Where the time went, so far. Zero: not measured, because it did not happen or has not ended.
struct RenditionTimings {
  std::chrono::microseconds fetch{0};
  std::chrono::microseconds queue{0};  ///< From being handed to the pool to the start of the job.
  std::chrono::microseconds decode{0};
  std::chrono::microseconds encode{0};
  std::uint64_t source_bytes = 0;
};

/// How a request for a rendition was met.
enum class CacheOutcome {
  kHit,          ///< Finished before, and still in memory.
  kDisk,         ///< Finished before, and found on disk.
  kStore,        ///< Finished before, and found in the object store.
  kRevalidated,  ///< Finished before; it was past its time, and its source has not changed.
  kStale,        ///< Finished before and past its time; its source is asked behind the answer, or has just failed.
  kJoined,       ///< Being made for somebody else already.
  kMiss,         ///< Made for this request.
};

/// A rendition that is being made or has been made: its bytes and what belongs to them. Shared between the job that
/// makes it, the cache, and everybody who reads it. Thread-safe.
class Rendition {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `key` ends with the canonical text of the source, which takes `source_size` bytes of it.
  explicit Rendition(std::string key, std::size_t source_size = 0)
      : key_(std::move(key)), source_size_(source_size), body_(std::make_shared<base::SharedBody>()) {
    assert(source_size_ <= key_.size() && "the source is a part of the key");
  }

  const std::string& key() const { return key_; }
  /// The canonical text of the source. Valid for as long as the rendition lives.
  std::string_view source() const { return std::string_view(key_).substr(key_.size() - source_size_); }
  const std::shared_ptr<base::SharedBody>& body() const { return body_; }

  RenditionFacts facts() const { return *shared_facts(); }
  /// The same without a copy. Never null; what is set later is another object.
  std::shared_ptr<const RenditionFacts> shared_facts() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return facts_;
  }
  void set_facts(RenditionFacts facts) OPTIMUX_EXCLUDES(mutex_) {
    auto shared = std::make_shared<const RenditionFacts>(std::move(facts));
    base::MutexLock lock(mutex_);
    facts_.swap(shared);
  }
  RenditionTimings timings() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return timings_;
  }
  void set_timings(const RenditionTimings& timings) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    timings_ = timings;
  }
  /// When it was finished, or its source was last found to be unchanged: what its age counts from. Unset before.
  std::optional<TimePoint> validated_at() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return validated_at_;
  }
  void set_validated_at(TimePoint time) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    validated_at_ = time;
  }
  /// Where it came from, once it has turned out that it need not be made; unset for one that is made.
  std::optional<CacheOutcome> found_as() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return found_as_;
  }
  void set_found_as(CacheOutcome outcome) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    found_as_ = outcome;
  }
  /// When its source failed to say whether it has changed; unset if that never happened.
  std::optional<TimePoint> source_failed_at() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return source_failed_at_;
  }
  void set_source_failed_at(TimePoint time) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    source_failed_at_ = time;
  }

  /// From now on it must not be given to anybody new: it has been purged, perhaps while it was being made. Whoever
  /// keeps it asks before and after.
  void revoke() { is_revoked_ = true; }
  bool is_revoked() const { return is_revoked_; }

 private:
  const std::string key_;
  const std::size_t source_size_;
  const std::shared_ptr<base::SharedBody> body_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const RenditionFacts> facts_ OPTIMUX_GUARDED_BY(mutex_) = std::make_shared<const RenditionFacts>();
  RenditionTimings timings_ OPTIMUX_GUARDED_BY(mutex_);
  std::optional<TimePoint> validated_at_ OPTIMUX_GUARDED_BY(mutex_);
  std::optional<TimePoint> source_failed_at_ OPTIMUX_GUARDED_BY(mutex_);
  std::optional<CacheOutcome> found_as_ OPTIMUX_GUARDED_BY(mutex_);
  std::atomic<bool> is_revoked_ = false;
};

/// A rendition with the caller's own place in it. Dropping the reader is how a caller says that it has left.
struct OpenedRendition {
  std::shared_ptr<Rendition> rendition;
  base::SharedBody::Reader reader;
  CacheOutcome outcome = CacheOutcome::kMiss;
};

/// Whether the rendition's timings are those of this request, or of the one that it joined.
inline bool has_timings(CacheOutcome outcome) {
  return outcome == CacheOutcome::kMiss || outcome == CacheOutcome::kJoined || outcome == CacheOutcome::kRevalidated;
}

/// How a request was met, as far as that is known by now: what was a miss `at_opening` may have been found since.
inline CacheOutcome outcome_by_now(CacheOutcome at_opening, const Rendition& rendition) {
  return at_opening == CacheOutcome::kMiss ? rendition.found_as().value_or(at_opening) : at_opening;
}

}  // namespace optimux::service
