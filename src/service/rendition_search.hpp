#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "service/memory_cache.hpp"
#include "service/rendition.hpp"
#include "service/tier_stack.hpp"

namespace optimux::service {

/// A finished rendition that was found; its age is for others to judge.
struct FoundRendition {
  std::shared_ptr<Rendition> rendition;  ///< Null: none.
  CacheOutcome outcome = CacheOutcome::kMiss;
};

/// Looks for finished renditions with the keys of `wanted`, of which there is at least one, in memory and in the tiers
/// below, all at once. `found` is called once, with one for each in their order: from inside the call where no tier
/// need be asked, else from any thread, with no lock held. Nothing blocks.
void find_finished(const std::vector<std::shared_ptr<Rendition>>& wanted, const MemoryCache& cache,
                   const TierStack& tiers, std::function<void(std::vector<FoundRendition>)> found);

}  // namespace optimux::service
