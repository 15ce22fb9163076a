#include "apps/optimux/serve/descriptor_limit.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace optimux::apps {
namespace {

// Listeners, log, event loops, timers, the configuration while it is read, libraries: below 30 were ever seen.
constexpr std::uint64_t kAlwaysOpen = 64;

std::uint64_t all_but_clients(const Settings& settings) {
  return static_cast<std::uint64_t>(settings.origin_connections.max_connections) +
         static_cast<std::uint64_t>(settings.file_pool.workers_max) + kAlwaysOpen;
}

}  // namespace

std::uint64_t descriptors_for(const Settings& settings) {
  return settings.server.max_connections + all_but_clients(settings);
}

// No further than is needed: a child process inherits the limit, and some walk over all descriptors below it.
void provide_descriptors(const Settings& settings, base::LogSink& log) {
  const std::uint64_t needed = descriptors_for(settings);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  if (limit.rlim_cur >= needed) return;
  const std::uint64_t others = all_but_clients(settings);
  log.warning("too few descriptors",
              {{"limit", limit.rlim_cur},
               {"needed", needed},
               {"max_connections", settings.server.max_connections},
               {"room_for", limit.rlim_cur > others ? limit.rlim_cur - others : 0},
               {"remedy", "raise RLIMIT_NOFILE (ulimit -n, LimitNOFILE=) or lower max_connections"}});
}

}  // namespace optimux::apps
