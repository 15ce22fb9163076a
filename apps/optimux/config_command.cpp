#include "apps/optimux/config_command.hpp"

#include "apps/optimux/settings/option_flags.hpp"
#include "apps/optimux/settings/option_writer.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  optimux config                            values in effect and where each comes from\n"
    "  optimux config --defaults > optimux.toml  a complete file to start from\n"
    "  optimux config --check --config FILE      only say whether the file is right, and what it names is there\n\n";

class ConfigCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("config", "Show, check or document the configuration");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    // One of these, or the values in effect. Not an option group: CLI11 takes that for a command, and lists it last.
    CLI::Option* const what[] = {
        command->add_flag("--defaults", defaults_, "A complete configuration file with all defaults, units and ranges"),
        command->add_flag("--check", check_, "Only whether the configuration is valid and what it names is there"),
        command->add_flag("--markdown", markdown_, "docs/options.md"),
        command->add_flag("--json", json_, "The values in effect as JSON; bytes and milliseconds are numbers")};
    for (CLI::Option* const one : what) {
      for (CLI::Option* const other : what) {
        if (one != other) one->excludes(other);
      }
    }
    flags_.declare(*command);
    return command;
  }

  ExitCode run() override {
    if (defaults_) return print(write_defaults());
    if (markdown_) return print(write_markdown());
    const auto configuration = check_ ? flags_.load_and_check_paths() : flags_.load();
    if (!configuration) return ExitCode::kConfiguration;
    if (check_) return print("the configuration is valid\n");
    return print(json_ ? write_effective_json(*configuration) : write_effective(*configuration));
  }

 private:
  static ExitCode print(const std::string& text) {
    std::cout << text << std::flush;
    return std::cout ? ExitCode::kSuccess : ExitCode::kFailure;
  }

  OptionFlags flags_;
  bool defaults_ = false;
  bool check_ = false;
  bool markdown_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_config_command() {
  return std::make_unique<ConfigCommand>();
}

}  // namespace optimux::apps
