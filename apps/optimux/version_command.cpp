#include "apps/optimux/version_command.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace optimux::apps {
namespace {

class VersionCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("version", "Print the version");
    command->footer(std::string("example:\n  optimux version\n\n") + kExitCodesHelp);
    return command;
  }

  ExitCode run() override {
    std::cout << "optimux " << program_version() << std::endl;
    return std::cout ? ExitCode::kSuccess : ExitCode::kFailure;
  }
};

}  // namespace

std::unique_ptr<Command> make_version_command() {
  return std::make_unique<VersionCommand>();
}

const char* program_version() {
  return OPTIMUX_VERSION;
}

}  // namespace optimux::apps
