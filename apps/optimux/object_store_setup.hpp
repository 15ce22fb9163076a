#pragma once

#include "apps/optimux/settings/settings.hpp"
#include "base/result.hpp"
#include "service/rendition_tier.hpp"
#include "source/object_store.hpp"
#include "source/reactor.hpp"
#include "source/source.hpp"

#include <memory>

namespace optimux::apps {

/// The object store that `settings` speak of; null if they name no bucket. What they leave open comes from the
/// environment: its `AWS_` variables and `HOME`. `reactor` must outlive the store, and the work that `runner` was
/// given. Errors: kInvalidParameter naming the option, kInternal.
base::Result<std::shared_ptr<source::ObjectStore>> make_object_store(const Settings& settings, source::Reactor& reactor,
                                                                     const source::BlockingRunner& runner);

/// The backend of `s3://` URLs: objects of the buckets that are allowed. `store` may be null if there are none.
std::unique_ptr<source::Source> make_object_urls(const Settings& settings, source::ObjectStore* store,
                                                 source::Reactor& reactor);

/// The tier of finished renditions in `store`, below `optimized/` where no prefix is given; null if none is configured.
std::shared_ptr<service::RenditionTier> make_object_tier(const Settings& settings,
                                                         std::shared_ptr<source::ObjectStore> store);

/// The backend of the default store, if that is a bucket; else null.
std::unique_ptr<source::Source> make_object_keys(const Settings& settings, source::ObjectStore* store,
                                                 source::Reactor& reactor);

}  // namespace optimux::apps
