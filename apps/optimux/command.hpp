#pragma once

#include <memory>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace optimux::apps {

/// What the program tells its caller. Part of the interface; docs/cli.md lists them.
enum class ExitCode : int {
  kSuccess = 0,
  kFailure = 1,        ///< Some or all of the work failed.
  kUsage = 2,          ///< The command line cannot be understood.
  kConfiguration = 3,  ///< The configuration is wrong, or what it names cannot be opened at start.
  kInterrupted = 130,  ///< Ended by SIGINT or SIGTERM, as a shell reports it.
};

/// Shown below the help of every command.
inline constexpr const char* kExitCodesHelp =
    "exit codes: 0 success, 1 some or all of the work failed, 2 usage, 3 configuration or start, 130 interrupted";

/// One subcommand: its flags and what it does. Each lives in one pair of files, `<name>_command`, and has one line in
/// `main.cpp`.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /// Adds the subcommand to the program and returns it. Called once; the command outlives the program.
  virtual CLI::App* declare(CLI::App& program) = 0;
  /// Does the work, after the command line has been parsed. Blocks.
  virtual ExitCode run() = 0;
  /// The code for a command line that has led to this command and cannot be understood.
  [[nodiscard]] virtual ExitCode usage_code() const { return ExitCode::kUsage; }
};

}  // namespace optimux::apps
