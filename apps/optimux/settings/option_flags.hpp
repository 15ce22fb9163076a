#pragma once

#include "apps/optimux/settings/configuration.hpp"

#include <span>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace optimux::apps {

/// The options of the table as flags of a subcommand, and `--config`. Must outlive the subcommand.
class OptionFlags {
 public:
  OptionFlags() = default;
  OptionFlags(const OptionFlags&) = delete;
  OptionFlags& operator=(const OptionFlags&) = delete;

  /// Adds the flags of the options that `concerns` picks. Values are kept as texts: ranges are checked with those of
  /// all other sources, so that errors look alike wherever a value comes from.
  void declare(CLI::App& command, bool (*concerns)(const Option& option));
  /// Adds the flags of all options.
  void declare(CLI::App& command) {
    declare(command, [](const Option&) { return true; });
  }

  /// Defaults, file, environment and the flags that were given. On failure says on standard error what is wrong, one
  /// line a problem. Blocks on the file system.
  tl::expected<Configuration, std::vector<Problem>> load() const;
  /// As `load`, and what the declared options name must be there: folders, files with certificates.
  tl::expected<Configuration, std::vector<Problem>> load_and_check_paths() const;

  /// What `load` reads, to read it again.
  ConfigurationInputs inputs() const;

 private:
  void declare_option(CLI::App& command, const Option& option);

  bool (*concerns_)(const Option& option) = nullptr;
  std::string file_;
  FlagValues values_;
};

/// One line a problem on standard error, each after `optimux: ` and `label`.
void print_problems(std::span<const Problem> problems, std::string_view label = "");

}  // namespace optimux::apps
