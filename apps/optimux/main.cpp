#include "apps/optimux/arguments.hpp"
#include "apps/optimux/command.hpp"
#include "apps/optimux/config_command.hpp"
#include "apps/optimux/h2/h2_command.hpp"
#include "apps/optimux/inspect_command.hpp"
#include "apps/optimux/pool/pool_command.hpp"
#include "apps/optimux/serve_command.hpp"
#include "apps/optimux/sign_command.hpp"
#include "apps/optimux/transform_command.hpp"
#include "apps/optimux/version_command.hpp"
#include "base/text.hpp"
#include "service/nearest_name.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using optimux::apps::Command;
using optimux::apps::ExitCode;

using Commands = std::vector<std::pair<std::unique_ptr<Command>, CLI::App*>>;

/// A new command is one pair of files and one line here.
constexpr std::unique_ptr<Command> (*kCommands[])() = {
    optimux::apps::make_serve_command, optimux::apps::make_transform_command, optimux::apps::make_inspect_command,
    optimux::apps::make_sign_command,  optimux::apps::make_config_command,    optimux::apps::make_pool_command,
    optimux::apps::make_h2_command,    optimux::apps::make_version_command,
};

constexpr const char* kExamples =
    "examples:\n"
    "  optimux serve --root photos                  images of a folder at http://127.0.0.1:8811\n"
    "  optimux transform a.jpg -o a.webp --sizes 300x0 --format webp\n"
    "  optimux inspect a.webp                       what it is, and what of it can be seen while it arrives\n"
    "  optimux config --defaults > optimux.toml\n\n";

// The innermost command that has been understood.
const CLI::App* innermost(const CLI::App* program) {
  const auto below = program->get_subcommands();
  return below.empty() ? program : innermost(below.front());
}

// What other programs call our flags, where no likeness of letters shows it.
constexpr std::pair<std::string_view, std::string_view> kForeignFlags[] = {
    {"port", "listen"}, {"host", "listen"},  {"bind", "listen"},  {"address", "listen"},
    {"width", "sizes"}, {"height", "sizes"}, {"resize", "sizes"}, {"out", "output"},
};

std::string did_you_mean(std::string_view prefix, std::string_view name) {
  return name.empty() ? "" : "; did you mean '" + std::string(prefix) + std::string(name) + "'?";
}

// The flag of `command`, without its dashes, that `word` was most likely meant to be; empty when none is near.
std::string_view nearest_flag(const CLI::App& command, std::string_view word) {
  std::vector<std::string_view> names;
  for (const CLI::Option* option : command.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  word = word.substr(0, word.find('='));
  const auto* const foreign = std::ranges::find(kForeignFlags, word, [](const auto& pair) { return pair.first; });
  const bool is_foreign = foreign != std::end(kForeignFlags) && std::ranges::count(names, foreign->second) > 0;
  return is_foreign ? foreign->second : optimux::service::nearest_name(word, names);
}

std::string explain_unknown(const CLI::App& command, const std::string& word) {
  if (word.starts_with('-')) return "unknown option '" + word + "'" + did_you_mean("--", nearest_flag(command, word));
  std::vector<std::string_view> commands;
  for (const CLI::App* below : command.get_subcommands({})) commands.push_back(below->get_name());
  if (commands.empty()) return "'" + word + "' was not expected: `" + command.get_name() + "` takes flags alone";
  const std::string_view nearest = optimux::service::nearest_name(word, commands);
  return "there is no command '" + word + "'" + did_you_mean("", nearest);
}

bool lacks_a_command(const CLI::App& command, const CLI::Error& error) {
  return error.get_name() == "RequiredError" && !command.get_subcommands({}).empty();
}

// The words of CLI11, but where they name no rule.
std::string explain_known(const CLI::Error& error) {
  constexpr std::string_view kUnconverted = "Could not convert: ";
  std::string text = error.what();
  const std::size_t parted = text.find(" = ");
  if (!text.starts_with(kUnconverted) || parted == std::string::npos) return text;
  const std::string flag = text.substr(kUnconverted.size(), parted - kUnconverted.size());
  return flag + ": '" + text.substr(parted + 3) + "' is not a number in its range";
}

std::string explain(const CLI::App* program, const CLI::Error& error) {
  const CLI::App* const command = innermost(program);
  const auto unknown = command->remaining();
  if (unknown.empty() && lacks_a_command(*command, error)) return "optimux: which command?\n\n" + program->help();
  const std::string reason = unknown.empty() ? explain_known(error) : explain_unknown(*command, unknown.front());
  return "optimux: " + optimux::base::printable(reason) + "\nRun with --help for more information.\n";
}

ExitCode usage_code(const Commands& commands) {
  for (const auto& [command, declared] : commands) {
    if (declared->parsed()) return command->usage_code();
  }
  return ExitCode::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Resizes, re-encodes and streams images on the fly.", "optimux");
  program.set_version_flag("--version", std::string("optimux ") + optimux::apps::program_version());
  program.footer(std::string(kExamples) + optimux::apps::kExitCodesHelp);
  program.require_subcommand(1);
  program.failure_message(explain);
  Commands commands;
  for (const auto make : kCommands) {
    auto command = make();
    CLI::App* const declared = command->declare(program);
    commands.emplace_back(std::move(command), declared);
  }
  try {
    auto arguments = optimux::apps::read_arguments(program, argc, argv);
    std::ranges::reverse(arguments);  // As CLI11 wants them.
    program.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    const int code = program.exit(error);  // Prints the help that was asked for, or what is wrong.
    return code == 0 ? EXIT_SUCCESS : static_cast<int>(usage_code(commands));
  }
  for (const auto& [command, declared] : commands) {
    if (declared->parsed()) return static_cast<int>(command->run());
  }
  return static_cast<int>(ExitCode::kUsage);
}
