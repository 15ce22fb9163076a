#include "apps/optimux/settings/cross_checks.hpp"

#include "apps/optimux/settings/text_form.hpp"

#include <string>

namespace optimux::apps {
namespace {

void check_workers(const Settings& settings, std::vector<Problem>& problems) {
  const auto& pool = settings.image_pool;
  if (pool.workers_max == 0 || pool.workers_min <= pool.workers_max) return;
  problems.push_back({"image_workers_min", "",
                      std::to_string(pool.workers_min) + " is more than image_workers_max, which is " +
                          std::to_string(pool.workers_max)});
}

void check_admin(const Settings& settings, std::vector<Problem>& problems) {
  const auto& server = settings.server;
  if (server.admin.empty() || server.admin_allow_remote || is_local_only(server.admin)) return;
  problems.push_back(
      {"admin", "",
       "'" + server.admin +
           "' can be reached from other machines and has no authentication: choose a loopback address or "
           "a Unix socket, or set admin_allow_remote = true"});
}

void check_listen(const Settings& settings, std::vector<Problem>& problems) {
  if (settings.server.listen.empty()) problems.push_back({"listen", "", "needs at least one address"});
}

void check_pixels(const Settings& settings, std::vector<Problem>& problems) {
  if (settings.media.max_frame_pixels <= settings.media.max_total_pixels) return;
  problems.push_back({"max_frame_pixels", "",
                      std::to_string(settings.media.max_frame_pixels) + " is more than max_total_pixels, which is " +
                          std::to_string(settings.media.max_total_pixels)});
}

}  // namespace

std::vector<Problem> cross_check(const Settings& settings) {
  std::vector<Problem> problems;
  check_listen(settings, problems);
  check_admin(settings, problems);
  check_workers(settings, problems);
  check_pixels(settings, problems);
  return problems;
}

}  // namespace optimux::apps
