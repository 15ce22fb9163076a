#include "apps/optimux/settings/option_flags.hpp"

#include "apps/optimux/settings/option_table.hpp"
#include "apps/optimux/settings/path_checks.hpp"
#include "base/text.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace optimux::apps {
namespace {

std::string describe(const Option& option) {
  const std::string range = option.range();
  const std::string default_text = format_option(option, option.default_value());
  return std::string(option.meaning) + " [" + (range.empty() ? std::string(name_of(option.type)) : range) +
         "; default: " + (default_text.empty() ? "none" : default_text) + "]";
}

const char* placeholder(OptionType type) {
  switch (type) {
    case OptionType::kBytes: return "BYTES";
    case OptionType::kDuration: return "TIME";
    case OptionType::kInteger: return "N";
    case OptionType::kBoolean: return "[=BOOL]";
    case OptionType::kText: return "TEXT";
    case OptionType::kList: return "TEXT ...";
    case OptionType::kTable: return "NAME=TEXT ...";
  }
  return "";
}

}  // namespace

void OptionFlags::declare(CLI::App& command, bool (*concerns)(const Option& option)) {
  concerns_ = concerns;
  command
      .add_option("--config", file_, "TOML file with options; `optimux config --defaults` prints one (OPTIMUX_CONFIG)")
      ->option_text("FILE");
  for (const Option& option : option_table()) {
    if (concerns(option)) declare_option(command, option);
  }
}

void OptionFlags::declare_option(CLI::App& command, const Option& option) {
  const auto keep = [this, &option](const CLI::results_t& texts) {
    for (const std::string& text : texts) values_.emplace_back(&option, text);
    return true;
  };
  const std::string former = option.former_flag();
  const std::string names = former.empty() ? option.flag() : option.flag() + "," + former;
  CLI::Option* flag = command.add_option(names, keep, describe(option));
  flag->group(std::string(title_of(option.group)))->option_text(placeholder(option.type));
  flag->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
  // A value is optional and must then stand behind `=`, so that `--docs` never swallows the word after it.
  if (option.type == OptionType::kBoolean) flag->type_size(0)->default_str("true");
}

ConfigurationInputs OptionFlags::inputs() const {
  return {.file = file_, .environment = read_environment(), .flags = values_};
}

tl::expected<Configuration, std::vector<Problem>> OptionFlags::load() const {
  auto configuration = load_configuration(inputs());
  if (configuration) {
    print_problems(configuration->warnings(), "warning: ");
  } else {
    print_problems(configuration.error());
  }
  return configuration;
}

tl::expected<Configuration, std::vector<Problem>> OptionFlags::load_and_check_paths() const {
  auto configuration = load();
  if (!configuration) return configuration;
  if (auto problems = check_paths(*configuration, concerns_); !problems.empty()) {
    print_problems(problems);
    return tl::make_unexpected(std::move(problems));
  }
  return configuration;
}

void print_problems(std::span<const Problem> problems, std::string_view label) {
  for (const Problem& problem : problems) std::cerr << "optimux: " << label << base::printable(problem.text()) << '\n';
}

}  // namespace optimux::apps
