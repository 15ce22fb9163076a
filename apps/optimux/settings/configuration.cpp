#include "apps/optimux/settings/configuration.hpp"

#include "apps/optimux/settings/configuration_file.hpp"
#include "apps/optimux/settings/cross_checks.hpp"
#include "apps/optimux/settings/option_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace optimux::apps {
namespace {

constexpr std::string_view kVariablePrefix = "OPTIMUX_";
constexpr const char* kFileVariable = "OPTIMUX_CONFIG";

const Option* option_of_variable(std::string_view variable) {
  for (const Option& option : option_table()) {
    if (option.variable() == variable || option.former_variable() == variable) return &option;
  }
  return nullptr;
}

std::string file_of(const ConfigurationInputs& inputs) {
  if (!inputs.file.empty()) return inputs.file;
  const auto named = inputs.environment.find(kFileVariable);
  return named == inputs.environment.end() ? std::string() : named->second;
}

// A repeated flag of a list or a table is one value; of the others the last one counts, as is usual on a command line.
std::map<const Option*, std::string> join_repeated(const FlagValues& flags) {
  std::map<const Option*, std::string> joined;
  for (const auto& [option, text] : flags) {
    const auto [entry, is_new] = joined.try_emplace(option, text);
    if (is_new) continue;
    const bool holds_many = option->type == OptionType::kList || option->type == OptionType::kTable;
    entry->second = holds_many ? entry->second + separator_of(option->type) + text : text;
  }
  return joined;
}

}  // namespace

class ConfigurationBuilder {
 public:
  void add_file(const std::string& path) {
    FileReading reading = read_configuration_file(path);
    for (FileEntry& entry : reading.entries) {
      set(*entry.option, entry.value, {OriginKind::kFile, std::move(entry.place)});
    }
    std::ranges::move(reading.problems, std::back_inserter(problems_));
  }

  void add_environment(const Environment& environment) {
    for (const auto& [name, text] : environment) {
      if (name == kFileVariable) continue;
      if (const Option* option = option_of_variable(name)) {
        add_text(*option, text, {OriginKind::kEnvironment, name});
      } else {
        // No error: orchestrators put variables of their own under the name of a service (Kubernetes' service links).
        configuration_.warnings_.push_back({"", name, "is no option of this program and has no effect"});
      }
    }
  }

  void add_flags(const FlagValues& flags) {
    for (const auto& [option, text] : join_repeated(flags))
      add_text(*option, text, {OriginKind::kFlag, option->flag()});
  }

  tl::expected<Configuration, std::vector<Problem>> finish() && {
    if (problems_.empty()) problems_ = cross_check(configuration_);
    if (!problems_.empty()) return tl::make_unexpected(std::move(problems_));
    std::ranges::move(find_useless_values(configuration_), std::back_inserter(configuration_.warnings_));
    return std::move(configuration_);
  }

 private:
  void add_text(const Option& option, std::string_view text, Origin origin) {
    if (const auto value = parse_option(option, text)) {
      set(option, *value, std::move(origin));
    } else {
      problems_.push_back({std::string(option.key), origin.place, value.error().detail});
    }
  }

  void set(const Option& option, const OptionValue& value, Origin origin) {
    option.set(configuration_.settings_, value);
    configuration_.origins_[option.key] = std::move(origin);
  }

  Configuration configuration_;
  std::vector<Problem> problems_;
};

std::string_view name_of(OriginKind kind) {
  switch (kind) {
    case OriginKind::kDefault: return "default";
    case OriginKind::kFile: return "file";
    case OriginKind::kEnvironment: return "environment";
    case OriginKind::kFlag: return "flag";
  }
  return "";
}

Environment read_environment() {
  Environment environment;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view entry = *variable;
    const auto equals = entry.find('=');
    if (!entry.starts_with(kVariablePrefix) || equals == std::string_view::npos) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

const Origin& Configuration::origin_of(const Option& option) const {
  static const Origin kByDefault;
  const auto found = origins_.find(option.key);
  return found == origins_.end() ? kByDefault : found->second;
}

tl::expected<Configuration, std::vector<Problem>> load_configuration(const ConfigurationInputs& inputs) {
  ConfigurationBuilder builder;
  if (const std::string file = file_of(inputs); !file.empty()) builder.add_file(file);
  builder.add_environment(inputs.environment);
  builder.add_flags(inputs.flags);
  return std::move(builder).finish();
}

std::vector<const Option*> changed_options(const Settings& before, const Settings& after) {
  std::vector<const Option*> changed;
  for (const Option& option : option_table()) {
    if (option.get(before) != option.get(after)) changed.push_back(&option);
  }
  return changed;
}

}  // namespace optimux::apps
