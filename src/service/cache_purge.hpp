#pragma once

#include <memory>
#include <string>
#include <vector>

#include "service/job_context.hpp"
#include "service/rendition_tier.hpp"

namespace optimux::service {

/// What is to be forgotten.
struct PurgeOrder {
  std::string source;             ///< Canonical text; empty: of all sources.
  std::vector<std::string> keys;  ///< Of renditions of that source; empty: all of them.
};

/// As `RenditionService::purge`: forgets what `order` names in memory and in all tiers, revokes what is in the making,
/// and forgets that the source has failed. `purged` is called once, when nothing older is given out any more.
void purge(const std::shared_ptr<JobContext>& context, const PurgeOrder& order, RenditionTier::Erased purged);

}  // namespace optimux::service
