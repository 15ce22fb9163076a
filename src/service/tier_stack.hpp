#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/rendition_tier.hpp"

namespace optimux::service {

/// The tiers below the memory, from the fastest to the slowest, as one: what is found in a lower one is put into those
/// above it. Thread-safe; nothing blocks.
class TierStack {
 public:
  /// Called once, from any thread, perhaps from inside `find`, with no lock held: the rendition and in which tier it
  /// lay; or null.
  using Found = std::function<void(std::shared_ptr<Rendition> rendition, CacheOutcome outcome)>;

  explicit TierStack(std::vector<std::shared_ptr<RenditionTier>> tiers) : tiers_(std::move(tiers)) {}

  bool empty() const { return tiers_.empty(); }

  /// Asks one tier after the other. `key` and `source` as in `RenditionTier::find`.
  void find(const std::string& key, const std::string& source, Found found) const;

  /// As in `RenditionTier`, in all tiers.
  void insert(const std::shared_ptr<Rendition>& rendition) const;
  void renew(const std::shared_ptr<Rendition>& rendition) const;
  /// As in `RenditionTier`; `erased` is called once all have answered, with the first error if there was one.
  void erase(const std::string& key, const std::string& source, RenditionTier::Erased erased) const;
  void erase_source(const std::string& source, RenditionTier::Erased erased) const;
  void clear(RenditionTier::Erased erased) const;

  std::vector<TierFigures> figures() const;

 private:
  using Tiers = std::vector<std::shared_ptr<RenditionTier>>;
  struct Search;
  static void ask(const std::shared_ptr<Search>& search, std::size_t tier);

  const Tiers tiers_;
};

/// Calls back once, when the last of several erasures has answered. Each holds a copy of the shared_ptr that owns this.
/// Thread-safe.
class ErasureCount {
 public:
  explicit ErasureCount(RenditionTier::Erased erased) : erased_(std::move(erased)) {}
  ErasureCount(const ErasureCount&) = delete;
  ErasureCount& operator=(const ErasureCount&) = delete;
  ~ErasureCount();

  /// The first failure is the one that is told.
  void note(const base::Status& status) OPTIMUX_EXCLUDES(mutex_);

 private:
  const RenditionTier::Erased erased_;
  base::Mutex mutex_;
  base::Status status_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service
