#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "service/disk_store.hpp"
#include "service/rendition_tier.hpp"
#include "source/reactor.hpp"

namespace optimux::service {

/// Finished renditions in a folder. Blobs are grouped by source, their metadata is the record of `rendition_record`,
/// and their stamp is the time at which they were last known to be current. All work runs through the runner; what it
/// does not take on is a miss, or is not kept.
class DiskTier final : public RenditionTier {
 public:
  /// Renditions that wait to be written keep their memory; beyond so many bytes they are not kept on disk.
  static constexpr std::uint64_t kMaxPendingBytes = 64 << 20;

  /// Has the folder scanned. `runner` must be callable for as long as the tier lives, and may hold work for longer.
  DiskTier(std::shared_ptr<DiskStore> store, source::BlockingRunner runner);
  ~DiskTier() override;

  CacheOutcome outcome() const override { return CacheOutcome::kDisk; }
  void find(const std::string& key, const std::string& source, Found found) override;
  void insert(std::shared_ptr<Rendition> rendition) override;
  void renew(std::shared_ptr<Rendition> rendition) override;
  void erase(const std::string& key, const std::string& source, Erased erased) override;
  void erase_source(const std::string& source, Erased erased) override;
  void clear(Erased erased) override;
  TierFigures figures() const override;

 private:
  class Pending;

  void erase_if(const std::function<bool(const Rendition& rendition)>& is_meant,
                std::function<bool(DiskStore& store)> work, Erased erased);

  const std::shared_ptr<DiskStore> store_;
  const source::BlockingRunner runner_;
  const std::shared_ptr<Pending> pending_;
  std::atomic<std::uint64_t> skipped_ = 0;
};

}  // namespace optimux::service
