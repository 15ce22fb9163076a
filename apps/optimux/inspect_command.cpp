#include "apps/optimux/inspect_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/inspect/examination.hpp"
#include "apps/optimux/inspect/examination_report.hpp"
#include "apps/optimux/pool/file_text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "Shows what a picture is, and up to which byte what of it can be seen while it arrives: head (its size is known),\n"
    "first (something of all of it), good (nothing is visibly missing) and full.\n\n"
    "examples:\n"
    "  optimux inspect a.jpg b.png\n"
    "  optimux transform a.png -o - --format jpeg --progressive | optimux inspect -\n"
    "  optimux inspect --json *.jpg | jq -c '[.input, (.phases[] | select(.phase == \"first\").end)]'\n\n";

class InspectCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("inspect", "Show what pictures are, and what they show while they arrive");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    command->add_option("FILE", names_, "Files, or - for standard input, of up to 64 MiB")->required();
    command->add_flag("--json", json_, "Print one JSON object a line");
    return command;
  }

  ExitCode run() override {
    if (std::ranges::count(names_, "-") > 1) {
      return complain(ExitCode::kUsage, "FILE: standard input can be read only once");
    }
    bool has_failed = false;
    for (const std::string& name : names_) {
      if (!inspect(name)) has_failed = true;
    }
    return has_failed || !std::cout ? ExitCode::kFailure : ExitCode::kSuccess;
  }

 private:
  bool inspect(const std::string& name) {
    const auto text = read_text(name);
    if (!text) return tell_failure(name, text.error(), text.error().detail);
    const auto examination = examine(std::as_bytes(std::span(*text)));
    if (!examination) {
      const base::Error& error = examination.error();
      return tell_failure(name, error, name + ": " + with_cause(error.detail, error.cause));
    }
    const bool is_first = !std::exchange(has_printed_, true);
    std::cout << (json_ ? to_json(name, *examination) + '\n' : (is_first ? "" : "\n") + to_text(name, *examination))
              << std::flush;
    return true;
  }

  bool tell_failure(const std::string& name, const base::Error& error, const std::string& words) const {
    if (json_) {
      std::cout << to_json(name, error) << std::endl;
    } else {
      complain(ExitCode::kFailure, words);
    }
    return false;
  }

  std::vector<std::string> names_;
  bool json_ = false;
  bool has_printed_ = false;
};

}  // namespace

std::unique_ptr<Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace optimux::apps
