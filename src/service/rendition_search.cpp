#include "service/rendition_search.hpp"

#include <string>
#include <utility>

#include "base/mutex.hpp"

namespace optimux::service {
namespace {

/// What was found so far; whoever brings the last one calls back. Thread-safe.
class Findings {
 public:
  using Callback = std::function<void(std::vector<FoundRendition>)>;

  Findings(std::size_t count, Callback found) : found_(std::move(found)), missing_(count), findings_(count) {}

  void note(std::size_t index, FoundRendition finding) OPTIMUX_EXCLUDES(mutex_) {
    std::vector<FoundRendition> all;
    {
      base::MutexLock lock(mutex_);
      findings_[index] = std::move(finding);
      if (--missing_ > 0) return;
      all.swap(findings_);
    }
    found_(std::move(all));
  }

 private:
  const Callback found_;
  base::Mutex mutex_;
  std::size_t missing_ OPTIMUX_GUARDED_BY(mutex_);
  std::vector<FoundRendition> findings_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace

void find_finished(const std::vector<std::shared_ptr<Rendition>>& wanted, const MemoryCache& cache,
                   const TierStack& tiers, std::function<void(std::vector<FoundRendition>)> found) {
  const auto findings = std::make_shared<Findings>(wanted.size(), std::move(found));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (auto kept = cache.find_kept(wanted[i]->key())) {
      findings->note(i, {std::move(kept), CacheOutcome::kHit});
    } else {
      tiers.find(wanted[i]->key(), std::string(wanted[i]->source()),
                 [findings, i](std::shared_ptr<Rendition> rendition, CacheOutcome outcome) {
                   findings->note(i, {std::move(rendition), outcome});
                 });
    }
  }
}

}  // namespace optimux::service
