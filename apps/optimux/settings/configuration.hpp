#pragma once

#include "apps/optimux/settings/option.hpp"
#include "apps/optimux/settings/problem.hpp"
#include "apps/optimux/settings/settings.hpp"
#include "base/result.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace optimux::apps {

/// Who set an option, weakest first.
enum class OriginKind { kDefault, kFile, kEnvironment, kFlag };

/// `default`, `file`, `environment`, `flag`.
std::string_view name_of(OriginKind kind);

struct Origin {
  OriginKind kind = OriginKind::kDefault;
  std::string place;  ///< `optimux.toml:12`, `OPTIMUX_LISTEN`, `--listen`; empty for a default.
};

/// Name and value of each variable of the environment that begins with `OPTIMUX_`.
using Environment = std::map<std::string, std::string>;

/// The `OPTIMUX_` variables of this process, as they are now.
Environment read_environment();

/// Keys and texts given as flags, in the order of the command line.
using FlagValues = std::vector<std::pair<const Option*, std::string>>;

/// All that a configuration is made from. Kept by a running server, which reads the file again on SIGHUP.
struct ConfigurationInputs {
  std::string file;  ///< Empty: the one named by OPTIMUX_CONFIG; if that is empty too, none.
  Environment environment;
  FlagValues flags;
};

/// The settings in effect, and where each value comes from.
class Configuration {
 public:
  const Settings& settings() const { return settings_; }
  /// Of one of the options of the table.
  const Origin& origin_of(const Option& option) const;
  /// Things that are allowed but probably not meant, as an `OPTIMUX_` variable that no option has.
  const std::vector<Problem>& warnings() const { return warnings_; }

 private:
  friend class ConfigurationBuilder;
  Settings settings_;
  std::map<std::string_view, Origin> origins_;
  std::vector<Problem> warnings_;
};

/// Merges defaults, file, environment and flags, each stronger than the one before, and checks every value and how they
/// go together. All problems are found at once, not only the first. Blocks on the file system.
tl::expected<Configuration, std::vector<Problem>> load_configuration(const ConfigurationInputs& inputs);

/// The options whose values differ, in the order of the table.
std::vector<const Option*> changed_options(const Settings& before, const Settings& after);

}  // namespace optimux::apps
