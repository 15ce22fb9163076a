#include "apps/optimux/pool/pool_command.hpp"

#include "apps/optimux/pool/advise_command.hpp"
#include "apps/optimux/pool/shapes_command.hpp"
#include "apps/optimux/pool/simulate_command.hpp"
#include "apps/optimux/pool/size_command.hpp"
#include "apps/optimux/pool/sweep_command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace optimux::apps {
namespace {

/// A new command of the group is one pair of files and one line here.
constexpr std::unique_ptr<Command> (*kCommands[])() = {
    make_simulate_command, make_size_command, make_sweep_command, make_shapes_command, make_advise_command,
};

constexpr const char* kExamples =
    "examples:\n"
    "  optimux pool simulate --load step --policy all --seeds 20\n"
    "  optimux pool size --rate 2000 --latency 50ms\n"
    "  optimux pool sweep --job burn:2000000\n"
    "  optimux pool shapes --image photo.jpg\n"
    "  optimux pool advise --admin http://127.0.0.1:8812\n\n";

class PoolCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* group = program.add_subcommand("pool", "Simulate, measure and size worker pools");
    group->footer(std::string(kExamples) + kExitCodesHelp);
    group->require_subcommand(1);
    for (const auto make : kCommands) {
      auto command = make();
      CLI::App* const declared = command->declare(*group);
      commands_.emplace_back(std::move(command), declared);
    }
    return group;
  }

  ExitCode run() override {
    for (const auto& [command, declared] : commands_) {
      if (declared->parsed()) return command->run();
    }
    return ExitCode::kUsage;
  }

  [[nodiscard]] ExitCode usage_code() const override {
    for (const auto& [command, declared] : commands_) {
      if (declared->parsed()) return command->usage_code();
    }
    return ExitCode::kUsage;
  }

 private:
  std::vector<std::pair<std::unique_ptr<Command>, CLI::App*>> commands_;
};

}  // namespace

std::unique_ptr<Command> make_pool_command() {
  return std::make_unique<PoolCommand>();
}

}  // namespace optimux::apps
