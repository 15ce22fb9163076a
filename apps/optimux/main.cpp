#include "apps/optimux/command.hpp"
#include "apps/optimux/config_command.hpp"
#include "apps/optimux/serve_command.hpp"
#include "apps/optimux/transform_command.hpp"
#include "apps/optimux/version_command.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using optimux::apps::Command;
using optimux::apps::ExitCode;

/// A new command is one pair of files and one line here.
constexpr std::unique_ptr<Command> (*kCommands[])() = {
    optimux::apps::make_serve_command,
    optimux::apps::make_transform_command,
    optimux::apps::make_config_command,
    optimux::apps::make_version_command,
};

constexpr const char* kExamples =
    "examples:\n"
    "  optimux serve --root photos                  images of a folder at http://127.0.0.1:8811\n"
    "  optimux transform a.jpg -o a.webp --sizes 300x0 --format webp\n"
    "  optimux config --defaults > optimux.toml\n\n";

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Resizes, re-encodes and streams images on the fly.", "optimux");
  program.set_version_flag("--version", std::string("optimux ") + optimux::apps::program_version());
  program.footer(std::string(kExamples) + optimux::apps::kExitCodesHelp);
  program.require_subcommand(1);
  std::vector<std::pair<std::unique_ptr<Command>, CLI::App*>> commands;
  for (const auto make : kCommands) {
    auto command = make();
    CLI::App* const declared = command->declare(program);
    commands.emplace_back(std::move(command), declared);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = program.exit(error);  // Prints the help that was asked for, or what is wrong.
    return code == 0 ? EXIT_SUCCESS : static_cast<int>(ExitCode::kUsage);
  }
  for (const auto& [command, declared] : commands) {
    if (declared->parsed()) return static_cast<int>(command->run());
  }
  return static_cast<int>(ExitCode::kUsage);
}
