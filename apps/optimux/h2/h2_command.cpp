#include "apps/optimux/h2/h2_command.hpp"

#include "apps/optimux/h2/simulate_command.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  optimux h2 simulate --images 100 --rate 5\n\n";

class H2Command final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* group = program.add_subcommand("h2", "Try the order in which many images go over one connection");
    group->footer(std::string(kExamples) + kExitCodesHelp);
    group->require_subcommand(1);
    simulate_->declare(*group);
    return group;
  }

  ExitCode run() override { return simulate_->run(); }

 private:
  std::unique_ptr<Command> simulate_ = make_h2_simulate_command();
};

}  // namespace

std::unique_ptr<Command> make_h2_command() {
  return std::make_unique<H2Command>();
}

}  // namespace optimux::apps
