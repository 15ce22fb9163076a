#pragma once

#include "apps/optimux/settings/settings.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace optimux::apps {

enum class OptionType {
  kBytes,     ///< `64MiB`; in a file also a bare number of bytes.
  kDuration,  ///< `5s`, `250ms`; a bare number is refused, because nobody can know its unit.
  kInteger,
  kBoolean,
  kText,
  kList,   ///< Texts: an array in a file, comma-separated in a variable, a repeated flag on the command line.
  kTable,  ///< Texts by name, as `NAME=TEXT` by rising name: a table in a file, with `;` between them in a variable, a
           ///< repeated flag.
};

/// The heading under which an option stands in the help, in the defaults file and in the documentation.
enum class OptionGroup {
  kListening,
  kTls,
  kHttp,
  kHttp2,
  kProtection,
  kSources,
  kObjectStore,
  kImages,
  kImagePool,
  kCache,
  kDiskCache,
  kLog
};

inline constexpr OptionGroup kOptionGroups[] = {
    OptionGroup::kListening,  OptionGroup::kTls,     OptionGroup::kHttp,        OptionGroup::kHttp2,
    OptionGroup::kProtection, OptionGroup::kSources, OptionGroup::kObjectStore, OptionGroup::kImages,
    OptionGroup::kImagePool,  OptionGroup::kCache,   OptionGroup::kDiskCache,   OptionGroup::kLog};

/// As people read it: `Image pool`.
std::string_view title_of(OptionGroup group);
/// As people read it: `bytes`, `duration`, `integer`, `true or false`, `text`, `list`, `table`.
std::string_view name_of(OptionType type);
/// What stands between the texts of a list or a table in a variable.
char separator_of(OptionType type);

/// Bytes and milliseconds for the types that have a unit, else the value itself.
using OptionValue = std::variant<bool, std::int64_t, std::string, std::vector<std::string>>;

/// What a text that is a path must lead to, if it is not empty.
enum class PathKind {
  kNone,          ///< The text is no path.
  kFolder,        ///< One that can be opened.
  kCertificates,  ///< A PEM file with at least one certificate.
  kPrivateKey,    ///< A PEM file with a private key.
  kSigningKeys,   ///< Of a list: each text that begins with `@` names a file with keys of signed URLs.
};

/// One row of the option table: everything that is known of an option. Flags, variables, file keys, help and
/// documentation all derive from it. Constant once made; any thread may read it.
struct Option {
  std::string_view key;         ///< As in the file; flag and variable follow from it.
  std::string_view former_key;  ///< What it was called once and may still be called; empty if nothing else.
  OptionGroup group = OptionGroup::kHttp;
  OptionType type = OptionType::kText;
  std::int64_t min = 0;  ///< Smallest value of a number, in bytes, milliseconds or units.
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::int64_t step = 1;                  ///< A number must be a multiple of it.
  std::vector<std::string_view> choices;  ///< If not empty, a text must be one of them.
  std::string_view form;                  ///< For texts that follow a pattern, as people read it: `ADDRESS:PORT`.
  bool (*matches_form)(std::string_view text) = nullptr;  ///< Checks a text, and each text of a list.
  PathKind path = PathKind::kNone;
  std::string_view meaning;  ///< One sentence, without the range and the default.
  bool is_secret = false;    ///< Whether its value is shown to nobody: not printed, not logged, in no message.
  bool reloadable = false;   ///< Whether a running server takes a new value on SIGHUP.
  std::function<OptionValue(const Settings& settings)> get;
  std::function<void(Settings& settings, const OptionValue& value)> set;

  /// Whether it goes by that key, now or formerly.
  bool is_called(std::string_view name) const { return name == key || (!name.empty() && name == former_key); }
  /// As in `--max-frames`.
  std::string flag() const;
  /// As `flag`, of the former key; empty if there is none.
  std::string former_flag() const;
  /// As in `OPTIMUX_MAX_FRAMES`.
  std::string variable() const;
  /// As `variable`, of the former key; empty if there is none.
  std::string former_variable() const;
  /// What a `Settings` holds when nobody says otherwise.
  OptionValue default_value() const;
  /// What may be given, as people read it: `1 to 4096`, `1s to 1h`, `text or json`, `ADDRESS:PORT`.
  std::string range() const;
};

/// Reads a value as it is written in a variable or after a flag, and checks its range. kInvalidParameter with a detail
/// that names the value and the range, but not the option.
base::Result<OptionValue> parse_option(const Option& option, std::string_view text);

/// Checks range, choices and form of a value of the right type. Errors as `parse_option`.
base::Status check_option(const Option& option, const OptionValue& value);

/// The value as people read it, and as `parse_option` reads it back: `64MiB`, `5s`, `true`, `a,b`.
std::string format_option(const Option& option, const OptionValue& value);

/// The same for logs and messages: of a secret only whether there is one.
std::string show_option(const Option& option, const OptionValue& value);

}  // namespace optimux::apps
