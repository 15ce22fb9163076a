#include "service/tier_stack.hpp"

#include <utility>

namespace optimux::service {

/// One search on its way down. It holds the tiers, so that it may outlive the stack.
struct TierStack::Search {
  Tiers tiers;
  std::string key;
  std::string source;
  Found found;
};

void TierStack::find(const std::string& key, const std::string& source, Found found) const {
  ask(std::make_shared<Search>(Search{tiers_, key, source, std::move(found)}), 0);
}

void TierStack::ask(const std::shared_ptr<Search>& search, std::size_t tier) {
  if (tier == search->tiers.size()) return search->found(nullptr, CacheOutcome::kMiss);
  search->tiers[tier]->find(search->key, search->source, [search, tier](std::shared_ptr<Rendition> rendition) {
    if (!rendition) return ask(search, tier + 1);
    for (std::size_t above = 0; above < tier; ++above) search->tiers[above]->insert(rendition);
    search->found(std::move(rendition), search->tiers[tier]->outcome());
  });
}

void TierStack::insert(const std::shared_ptr<Rendition>& rendition) const {
  for (const auto& tier : tiers_) tier->insert(rendition);
}

void TierStack::renew(const std::shared_ptr<Rendition>& rendition) const {
  for (const auto& tier : tiers_) tier->renew(rendition);
}

void TierStack::erase(const std::string& key, const std::string& source, RenditionTier::Erased erased) const {
  const auto count = std::make_shared<ErasureCount>(std::move(erased));
  for (const auto& tier : tiers_)
    tier->erase(key, source, [count](const base::Status& status) { count->note(status); });
}

void TierStack::erase_source(const std::string& source, RenditionTier::Erased erased) const {
  const auto count = std::make_shared<ErasureCount>(std::move(erased));
  for (const auto& tier : tiers_)
    tier->erase_source(source, [count](const base::Status& status) { count->note(status); });
}

void TierStack::clear(RenditionTier::Erased erased) const {
  const auto count = std::make_shared<ErasureCount>(std::move(erased));
  for (const auto& tier : tiers_) tier->clear([count](const base::Status& status) { count->note(status); });
}

std::vector<TierFigures> TierStack::figures() const {
  std::vector<TierFigures> figures;
  for (const auto& tier : tiers_) figures.push_back(tier->figures());
  return figures;
}

ErasureCount::~ErasureCount() {
  base::Status status;
  {
    base::MutexLock lock(mutex_);
    status = status_;
  }
  erased_(status);
}

void ErasureCount::note(const base::Status& status) {
  base::MutexLock lock(mutex_);
  if (!status && status_) status_ = status;
}

}  // namespace optimux::service
