#include "apps/optimux/arguments.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

namespace optimux::apps {
namespace {

enum class Kind { kUnknown, kSwitch, kTakesValue };

/// Of a flag with its dashes, whichever command has it.
Kind kind_of(const CLI::App& app, const std::string& flag) {
  if (!flag.starts_with("--")) return Kind::kUnknown;
  const CLI::Option* option = app.get_option_no_throw(flag);
  if (option != nullptr) return option->get_items_expected_max() == 0 ? Kind::kSwitch : Kind::kTakesValue;
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (const Kind kind = kind_of(*below, flag); kind != Kind::kUnknown) return kind;
  }
  return Kind::kUnknown;
}

}  // namespace

std::vector<std::string> read_arguments(const CLI::App& program, int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string_view flag = argument.substr(0, argument.size() - (argument.ends_with('=') ? 1 : 0));
    const bool is_truth = argument == "true" || argument == "false";
    if (is_truth && !words.empty() && kind_of(program, words.back()) == Kind::kSwitch) {
      words.back() += "=" + std::string(argument);
    } else if (flag != argument && kind_of(program, std::string(flag)) == Kind::kTakesValue) {
      words.insert(words.end(), {std::string(flag), ""});
    } else {
      words.emplace_back(argument);
    }
  }
  return words;
}

}  // namespace optimux::apps
