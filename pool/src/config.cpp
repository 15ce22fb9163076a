#include "optimux/pool/config.hpp"

#include <cstdio>
#include <cstdlib>

namespace optimux::pool {
namespace {

constexpr int kMostWorkers = 1'000'000;
constexpr std::size_t kMostPlaces = 100'000'000;

}  // namespace

namespace detail {

void no_value(const ConfigError& error) {
  std::fprintf(stderr, "optimux::pool: %s %s\n", error.field.c_str(), error.message.c_str());
  std::abort();
}

void no_error() {
  std::fputs("optimux::pool: the error of what was made without one\n", stderr);
  std::abort();
}

}  // namespace detail

std::optional<ConfigError> validate(const Limits& limits) {
  if (limits.min_workers < 0) return ConfigError{"min_workers", "must be 0 or more"};
  if (limits.max_workers < 1 || limits.max_workers > kMostWorkers) {
    return ConfigError{"max_workers", "must be from 1 to " + std::to_string(kMostWorkers)};
  }
  if (limits.min_workers > limits.max_workers) {
    return ConfigError{"min_workers", std::to_string(limits.min_workers) + " is above max_workers (" +
                                          std::to_string(limits.max_workers) + ")"};
  }
  if (limits.queue_capacity < 1 || limits.queue_capacity > kMostPlaces) {
    return ConfigError{"queue_capacity", "must be from 1 to " + std::to_string(kMostPlaces)};
  }
  return std::nullopt;
}

std::optional<ConfigError> validate(const Config& config) {
  if (config.name.empty()) return ConfigError{"name", "must not be empty"};
  if (auto error = validate(config.limits())) return error;
  if (config.retire_grace < Duration::zero()) return ConfigError{"retire_grace", "must not be negative"};
  if (config.first_backoff <= Duration::zero()) return ConfigError{"first_backoff", "must be above 0"};
  if (config.longest_backoff < config.first_backoff) {
    return ConfigError{"longest_backoff", "must not be below first_backoff"};
  }
  if (config.decision_log_capacity < 1) return ConfigError{"decision_log_capacity", "must be at least 1"};
  if (!config.clock) return ConfigError{"clock", "must not be null"};
  if (!config.cpu_counter) return ConfigError{"cpu_counter", "must be callable"};
  if (!config.start_thread) return ConfigError{"start_thread", "must be callable"};
  if (!config.policy) return ConfigError{"policy", "must not be null"};
  if (config.policy->interval() <= Duration::zero()) return ConfigError{"policy.interval", "must be above 0"};
  if (auto error = config.policy->validate(config.limits())) return error;
  return config.gate.validate(config.limits());
}

}  // namespace optimux::pool
