#pragma once

#include <memory>

#include "source/pending_fetches.hpp"
#include "source/ranged_source.hpp"

namespace optimux::source {

/// Those who wait for a source to be opened, and for parts of one.
using PendingOpens = PendingResults<std::shared_ptr<RangedFile>>;
using PendingReads = PendingResults<std::shared_ptr<const base::ByteBuffer>>;

}  // namespace optimux::source
