#include "simulator/contender.hpp"

#include "optimux/pool/policies.hpp"
#include "simulator/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace optimux::pool::simulator {
namespace {

constexpr double kMostCount = 1'000'000;

std::optional<int> read_count(std::string_view text) {
  const auto number = read_number(text);
  if (!number || *number < 1 || *number > kMostCount || *number != std::floor(*number)) return std::nullopt;
  return static_cast<int>(*number);
}

// "a:b" as "a" and "b"; without a colon the second is empty.
std::pair<std::string_view, std::string_view> split(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::shared_ptr<const Policy> queue_length(std::string_view arguments) {
  QueueLengthPolicy::Options options;
  if (!arguments.empty()) {
    const auto [interval_text, cooldown_text] = split(arguments, ',');
    const auto interval = read_duration(interval_text);
    const auto cooldown = read_duration(cooldown_text);
    if (!interval || !cooldown) return nullptr;
    options.check_interval = *interval;
    options.cooldown = *cooldown;
  }
  return std::make_shared<QueueLengthPolicy>(options);
}

std::shared_ptr<const Policy> spawn_on_submit(std::string_view argument) {
  SpawnOnSubmitPolicy::Options options;
  if (!argument.empty()) {
    const auto idle = read_duration(argument);
    if (!idle) return nullptr;
    options.idle_time = *idle;
  }
  return std::make_shared<SpawnOnSubmitPolicy>(options);
}

std::shared_ptr<const Policy> fixed(std::string_view argument) {
  const auto workers = read_count(argument);
  return workers ? std::make_shared<FixedPolicy>(*workers) : nullptr;
}

std::shared_ptr<const Policy> make_policy(std::string_view name) {
  const auto [kind, arguments] = split(name, ':');
  if (name == "little") return std::make_shared<LittlePolicy>();
  if (kind == "queue-length") return queue_length(arguments);
  if (kind == "spawn-on-submit") return spawn_on_submit(arguments);
  if (kind == "fixed") return fixed(arguments);
  return nullptr;
}

}  // namespace

Made<NamedPolicy> policy_of(std::string_view name) {
  if (auto policy = make_policy(name)) return NamedPolicy{std::string(name), std::move(policy)};
  return ConfigError{"policy", "'" + std::string(name) +
                                   "' is none; allowed: little, queue-length[:INTERVAL,COOLDOWN], "
                                   "spawn-on-submit[:IDLE], fixed:N"};
}

std::vector<NamedPolicy> all_policies(int cpus) {
  std::vector<NamedPolicy> policies;
  for (const std::string& name :
       {std::string("little"), std::string("queue-length"), std::string("queue-length:500ms,0s"),
        std::string("spawn-on-submit"), std::string("spawn-on-submit:60s"), "fixed:" + std::to_string(cpus)}) {
    policies.push_back(policy_of(name).value());
  }
  return policies;
}

Made<Gate> gate_of(std::string_view name) {
  const auto [kind, argument] = split(name, ':');
  const auto count = read_count(argument);
  if (name == "none") return Gate();
  if (name == "cpu") return Gate::cpu();
  if (kind == "cpu" && count) return Gate::cpu(*count);
  if (kind == "slots" && count) return Gate::slots(*count);
  return ConfigError{"gate", "'" + std::string(name) + "' is none; allowed: none, cpu[:THREADS_PER_JOB], slots:N"};
}

int useful_workers(const Gate& gate, int cpus, int most) {
  Snapshot snapshot;
  snapshot.cpus = cpus;
  return std::min(gate.check(snapshot).useful_workers, most);
}

}  // namespace optimux::pool::simulator
