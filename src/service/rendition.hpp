#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

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
};

/// Where the time went, so far. Zero: not measured, because it did not happen or has not ended.
struct RenditionTimings {
  std::chrono::microseconds fetch{0};
  std::chrono::microseconds queue{0};  ///< From being handed to the pool to the start of the job.
  std::chrono::microseconds decode{0};
  std::chrono::microseconds encode{0};
  std::uint64_t source_bytes = 0;
};

/// A rendition that is being made or has been made: its bytes and what belongs to them. Shared between the job that
/// makes it, the cache, and everybody who reads it. Thread-safe.
class Rendition {
 public:
  explicit Rendition(std::string key) : key_(std::move(key)), body_(std::make_shared<base::SharedBody>()) {}

  const std::string& key() const { return key_; }
  const std::shared_ptr<base::SharedBody>& body() const { return body_; }

  RenditionFacts facts() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return facts_;
  }
  void set_facts(RenditionFacts facts) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    facts_ = std::move(facts);
  }
  RenditionTimings timings() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return timings_;
  }
  void set_timings(const RenditionTimings& timings) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    timings_ = timings;
  }
  /// When the rendition was finished, for the `Age` header; unset before.
  std::optional<std::chrono::steady_clock::time_point> finished_at() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return finished_at_;
  }
  void set_finished_at(std::chrono::steady_clock::time_point time) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    finished_at_ = time;
  }

 private:
  const std::string key_;
  const std::shared_ptr<base::SharedBody> body_;
  mutable base::Mutex mutex_;
  RenditionFacts facts_ OPTIMUX_GUARDED_BY(mutex_);
  RenditionTimings timings_ OPTIMUX_GUARDED_BY(mutex_);
  std::optional<std::chrono::steady_clock::time_point> finished_at_ OPTIMUX_GUARDED_BY(mutex_);
};

/// How a request for a rendition was met.
enum class CacheOutcome {
  kHit,     ///< Finished before.
  kJoined,  ///< Being made for somebody else already.
  kMiss,    ///< Made for this request.
};

/// A rendition with the caller's own place in it. Dropping the reader is how a caller says that it has left.
struct OpenedRendition {
  std::shared_ptr<Rendition> rendition;
  base::SharedBody::Reader reader;
  CacheOutcome outcome = CacheOutcome::kMiss;
};

}  // namespace optimux::service
