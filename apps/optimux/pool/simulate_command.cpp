#include "apps/optimux/pool/simulate_command.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

namespace optimux::apps {
namespace {

class SimulateCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("simulate", "Try a scaling policy on a load, in virtual time");
    command->footer(std::string("example:\n  optimux pool simulate --load step --policy all\n\n") + kExitCodesHelp);
    return command;
  }

  ExitCode run() override {
    std::cerr << "optimux: the simulator is not part of this build\n";
    return ExitCode::kFailure;
  }
};

}  // namespace

std::unique_ptr<Command> make_simulate_command() {
  return std::make_unique<SimulateCommand>();
}

}  // namespace optimux::apps
