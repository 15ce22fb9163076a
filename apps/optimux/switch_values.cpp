#include "apps/optimux/switch_values.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

namespace optimux::apps {
namespace {

bool is_switch(const CLI::App& app, std::string_view argument) {
  if (!argument.starts_with("--")) return false;
  const CLI::Option* option = app.get_option_no_throw(std::string(argument));
  if (option != nullptr) return option->get_items_expected_max() == 0;
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (is_switch(*below, argument)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> join_switch_values(const CLI::App& program, int argc, const char* const* argv) {
  std::vector<std::string> joined;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool is_value = argument == "true" || argument == "false";
    if (is_value && !joined.empty() && is_switch(program, joined.back())) {
      joined.back() += "=" + std::string(argument);
    } else {
      joined.emplace_back(argument);
    }
  }
  return joined;
}

}  // namespace optimux::apps
