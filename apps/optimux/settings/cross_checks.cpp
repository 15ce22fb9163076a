#include "apps/optimux/settings/cross_checks.hpp"

#include "apps/optimux/settings/option_table.hpp"
#include "apps/optimux/settings/text_form.hpp"
#include "server/presets.hpp"

#include <cassert>
#include <string>
#include <utility>

namespace optimux::apps {
namespace {

const Option& option_named(std::string_view key) {
  const Option* const option = find_option(key);
  assert(option != nullptr && "a key of the option table");
  return *option;
}

std::string value_of(const Configuration& configuration, std::string_view key) {
  const Option& option = option_named(key);
  return show_option(option, option.get(configuration.settings()));
}

Problem problem_with(const Configuration& configuration, std::string_view key, std::string message) {
  return {std::string(key), configuration.origin_of(option_named(key)).place, std::move(message)};
}

// `5 is more than image_workers_max, which is 4 (optimux.toml:7)`, said of `key`.
Problem clash(const Configuration& configuration, std::string_view key, std::string_view relation,
              std::string_view other) {
  const std::string& place = configuration.origin_of(option_named(other)).place;
  return problem_with(configuration, key,
                      value_of(configuration, key) + " is " + std::string(relation) + " " + std::string(other) +
                          ", which is " + value_of(configuration, other) + " (" + (place.empty() ? "default" : place) +
                          ")");
}

void check_workers(const Configuration& configuration, std::vector<Problem>& problems) {
  const auto& pool = configuration.settings().image_pool;
  if (pool.workers_max == 0 || pool.workers_min <= pool.workers_max) return;
  problems.push_back(clash(configuration, "image_workers_min", "more than", "image_workers_max"));
}

void check_admin(const Configuration& configuration, std::vector<Problem>& problems) {
  const auto& server = configuration.settings().server;
  if (server.admin.empty() || server.admin_allow_remote || is_local_only(server.admin)) return;
  problems.push_back(problem_with(configuration, "admin",
                                  "'" + server.admin +
                                      "' can be reached from other machines and has no authentication: choose a "
                                      "loopback address or a Unix socket, or set admin_allow_remote = true"));
}

void check_listen(const Configuration& configuration, std::vector<Problem>& problems) {
  const auto& server = configuration.settings().server;
  if (!server.listen.empty() || !server.listen_tls.empty()) return;
  problems.push_back(problem_with(configuration, "listen", "needs at least one address"));
}

void check_tls(const Configuration& configuration, std::vector<Problem>& problems) {
  const auto& server = configuration.settings().server;
  if (!server.tls_certificate.empty()) return;
  if (!server.listen_tls.empty())
    problems.push_back(problem_with(configuration, "listen_tls", "needs tls_certificate"));
  if (!server.tls_key.empty()) problems.push_back(problem_with(configuration, "tls_key", "needs tls_certificate"));
}

void check_store(const Configuration& configuration, std::vector<Problem>& problems) {
  const Settings& settings = configuration.settings();
  if (settings.objects.store.empty() || settings.source.root.empty()) return;
  problems.push_back(clash(configuration, "store", "a second default store beside", "root"));
}

void check_pixels(const Configuration& configuration, std::vector<Problem>& problems) {
  const auto& media = configuration.settings().media;
  if (media.max_frame_pixels <= media.max_total_pixels) return;
  problems.push_back(clash(configuration, "max_frame_pixels", "more than", "max_total_pixels"));
}

void check_presets(const Configuration& configuration, std::vector<Problem>& problems) {
  const auto& server = configuration.settings().server;
  const auto rules = server::make_output_rules(server.max_sizes, server.allowed_formats);
  if (!rules) return;  // Said of the option itself.
  const auto presets = server::Presets::make(server.presets, *rules);
  if (!presets) problems.push_back(problem_with(configuration, "presets", presets.error().detail));
  if (server.presets_only && server.presets.empty()) {
    problems.push_back(problem_with(configuration, "presets_only", "needs presets: nothing could be asked for"));
  }
}

// Only where somebody has chosen the time: whoever shortens the whole fetch need not think of what lies within it.
void find_low_speed_time(const Configuration& configuration, std::vector<Problem>& problems) {
  constexpr std::string_view kKey = "fetch_low_speed_time";
  const auto& origin = configuration.settings().origin;
  const bool was_chosen = configuration.origin_of(option_named(kKey)).kind != OriginKind::kDefault;
  if (!was_chosen || origin.low_speed_time < origin.total_timeout) return;
  Problem problem = clash(configuration, kKey, "not less than", "fetch_timeout");
  problem.message += ": it has no effect";
  problems.push_back(std::move(problem));
}

}  // namespace

std::vector<Problem> cross_check(const Configuration& configuration) {
  std::vector<Problem> problems;
  check_listen(configuration, problems);
  check_tls(configuration, problems);
  check_admin(configuration, problems);
  check_workers(configuration, problems);
  check_store(configuration, problems);
  check_pixels(configuration, problems);
  check_presets(configuration, problems);
  return problems;
}

std::vector<Problem> find_useless_values(const Configuration& configuration) {
  std::vector<Problem> problems;
  find_low_speed_time(configuration, problems);
  return problems;
}

}  // namespace optimux::apps
