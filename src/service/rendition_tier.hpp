#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "service/rendition.hpp"

namespace optimux::service {

/// Counts since the start, and levels of now; for metrics.
struct TierFigures {
  std::string name;  ///< `disk` or `store`, as in metrics and in Server-Timing.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stored = 0;
  std::uint64_t skipped = 0;  ///< Renditions that were not stored: too large, too many at once.
  std::uint64_t evictions = 0;
  std::uint64_t damaged = 0;  ///< Records that were not what had been written.
  std::uint64_t faults = 0;   ///< What the medium could not do.
  std::uint64_t bytes = 0;    ///< 0 where nobody counts.
  std::uint64_t entries = 0;  ///< 0 where nobody counts.
};

/// A place for finished renditions below the memory: slower, larger, and still there after a restart. It keeps what it
/// can and says nothing of what it cannot: a tier that is out of order is a miss.
///
/// Thread-safe; nothing blocks. Implementations own what their work needs, so that work may outlive them.
class RenditionTier {
 public:
  /// Called once, from any thread, perhaps from inside `find`, with no lock held: the whole rendition, its body
  /// complete, its facts, validators and times set; or null.
  using Found = std::function<void(std::shared_ptr<Rendition> rendition)>;
  /// Called once, from any thread, perhaps from inside the call, with what became of an erasure. Errors: kOverloaded
  /// when it could not be taken on, kInternal when the medium failed.
  using Erased = std::function<void(const base::Status& status)>;

  RenditionTier() = default;
  RenditionTier(const RenditionTier&) = delete;
  RenditionTier& operator=(const RenditionTier&) = delete;
  virtual ~RenditionTier() = default;

  /// How requests that it serves were met.
  virtual CacheOutcome outcome() const = 0;

  /// Looks for the rendition `key` of the source with the canonical text `source`.
  virtual void find(const std::string& key, const std::string& source, Found found) = 0;

  /// Keeps a rendition whose body is complete, in place of one with the same key. One that is revoked, before or
  /// meanwhile, is not kept.
  virtual void insert(std::shared_ptr<Rendition> rendition) = 0;

  /// The rendition of that key, if it is kept, was found to be current: notes its `validated_at`.
  virtual void renew(std::shared_ptr<Rendition> rendition) = 0;

  /// Forgets a rendition, those of a source, or all. Once `erased` says so none of them is found any more, nor one
  /// whose insertion had been asked for before.
  virtual void erase(const std::string& key, const std::string& source, Erased erased) = 0;
  virtual void erase_source(const std::string& source, Erased erased) = 0;
  virtual void clear(Erased erased) = 0;

  virtual TierFigures figures() const = 0;
};

}  // namespace optimux::service
