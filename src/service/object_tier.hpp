#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "service/rendition_tier.hpp"
#include "source/object_place.hpp"
#include "source/object_store.hpp"

namespace optimux::service {

/// Finished renditions in a bucket, shared by all servers that use the same place. Each is an object of its own, found
/// by one GET: below the place, its key is the SHA-256 of the source's canonical text, a slash, and that of the
/// rendition's key. It is an ordinary picture with `Content-Type` and `Cache-Control`; its metadata hold the record of
/// `rendition_record`, the time at which it was last known to be current, and the mark that keeps it from ever being
/// rendered as a source (`source::kProcessedMark`).
///
/// That a rendition is not there is remembered for a while, so that one which is asked for again and again and cannot
/// be kept costs no request each time.
class ObjectTier final : public RenditionTier {
 public:
  /// Renditions that wait to be written keep their memory; beyond so many bytes they are not kept in the store.
  static constexpr std::uint64_t kMaxPendingBytes = 64 << 20;

  /// The store belongs to somebody else: once it has gone everything is a miss. `miss_time`: how long a rendition that
  /// is not there is not asked for again; 0: not at all.
  ObjectTier(std::weak_ptr<source::ObjectStore> store, source::ObjectPlace place, std::chrono::milliseconds miss_time);
  ~ObjectTier() override;

  CacheOutcome outcome() const override { return CacheOutcome::kStore; }
  void find(const std::string& key, const std::string& source, Found found) override;
  void insert(std::shared_ptr<Rendition> rendition) override;
  /// Writes the object anew: the metadata of one that is there cannot be changed.
  void renew(std::shared_ptr<Rendition> rendition) override;
  void erase(const std::string& key, const std::string& source, Erased erased) override;
  /// Lists the objects of the source, or all, and deletes one after the other, a thousand at a time.
  void erase_source(const std::string& source, Erased erased) override;
  void clear(Erased erased) override;
  TierFigures figures() const override;

 private:
  class Work;
  const std::shared_ptr<Work> work_;  ///< Shared with requests that are under way.
};

}  // namespace optimux::service
