#include "apps/optimux/serve/reloader.hpp"

#include "apps/optimux/serve/descriptor_limit.hpp"

#include <utility>

namespace optimux::apps {

Reloader::Reloader(ConfigurationInputs inputs, const Settings& settings, Engine& engine, base::LogSink& log)
    : inputs_(std::move(inputs)), settings_(settings), engine_(engine), log_(log) {}

void Reloader::reload() {
  const auto configuration = load_configuration(inputs_);
  if (configuration) return take_over(configuration->settings());
  for (const Problem& problem : configuration.error()) {
    log_.error("configuration not reloaded", {{"problem", problem.text()}});
  }
}

void Reloader::take_over(const Settings& wanted) {
  Settings next = settings_;
  const auto changed = changed_options(settings_, wanted);
  for (const Option* option : changed) {
    if (option->reloadable) option->set(next, option->get(wanted));
  }
  if (const auto applied = apply(next); !applied) {
    log_.error("configuration not reloaded", {{"problem", applied.error().detail}});
    return;
  }
  for (const Option* option : changed) {
    const std::string before = show_option(*option, option->get(settings_));
    const std::string after = show_option(*option, option->get(wanted));
    if (option->reloadable) {
      log_.info("option changed", {{"key", option->key}, {"from", before}, {"to", after}});
    } else {
      log_.warning("option needs a restart", {{"key", option->key}, {"from", before}, {"to", after}});
    }
  }
  if (next.server.max_connections > settings_.server.max_connections) provide_descriptors(next, log_);
  settings_ = next;
  log_.info("configuration reloaded", {{"changed", changed.size()}});
}

base::Status Reloader::apply(const Settings& settings) {
  // The server checks all of its settings before it takes any; the others have been checked by the option table.
  if (server_ != nullptr) {
    if (auto applied = server_->set_settings(settings.server); !applied) return applied;
  }
  if (auto applied = engine_.apply(settings); !applied) return applied;
  if (settings.log.level != settings_.log.level) log_.set_level(settings.log.level);
  return {};
}

}  // namespace optimux::apps
