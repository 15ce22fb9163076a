#include "service/cache_purge.hpp"

#include <algorithm>
#include <utility>

namespace optimux::service {
namespace {

bool names(const PurgeOrder& order, const Rendition& rendition) {
  if (order.source.empty()) return true;
  if (order.keys.empty()) return rendition.source() == order.source;
  return std::find(order.keys.begin(), order.keys.end(), rendition.key()) != order.keys.end();
}

/// Whatever is above the tiers. First what is in the making, since that goes into the memory.
void forget_above(JobContext& context, const PurgeOrder& order) {
  const auto is_named = [&](const Rendition& rendition) { return names(order, rendition); };
  context.failures.forget(order.source);
  context.flights.revoke_if(is_named);
  context.cache.erase_if(is_named);
}

void erase_from_tiers(const TierStack& tiers, const PurgeOrder& order, RenditionTier::Erased erased) {
  if (order.source.empty()) return tiers.clear(std::move(erased));
  if (order.keys.empty()) return tiers.erase_source(order.source, std::move(erased));
  const auto count = std::make_shared<ErasureCount>(std::move(erased));
  for (const std::string& key : order.keys) {
    tiers.erase(key, order.source, [count](const base::Status& status) { count->note(status); });
  }
}

}  // namespace

void purge(const std::shared_ptr<JobContext>& context, const PurgeOrder& order, RenditionTier::Erased purged) {
  forget_above(*context, order);
  // A request may find something in a tier before that has forgotten it, so what is above forgets once more.
  auto erased = [context, order, purged = std::move(purged)](const base::Status& status) {
    forget_above(*context, order);
    purged(status);
  };
  const auto count = std::make_shared<ErasureCount>(std::move(erased));
  const auto note = [count](const base::Status& status) { count->note(status); };
  context->fetches->forget(order.source, note);
  erase_from_tiers(context->tiers, order, note);
}

}  // namespace optimux::service
