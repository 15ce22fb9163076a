#pragma once

#include "apps/optimux/settings/settings.hpp"
#include "base/log.hpp"

#include <cstdint>

namespace optimux::apps {

/// Descriptors that a full house takes: a connection to each client and origin that the settings allow, a file for each
/// one that is read, and those that are always open.
std::uint64_t descriptors_for(const Settings& settings);

/// Raises the limit of open descriptors (RLIMIT_NOFILE) of this process to what `settings` may take, as far as the hard
/// limit allows; never lowers it. Where that is not enough, warns in `log` how many connections there is room for.
void provide_descriptors(const Settings& settings, base::LogSink& log);

}  // namespace optimux::apps
