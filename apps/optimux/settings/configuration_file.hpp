#pragma once

#include "apps/optimux/settings/option.hpp"
#include "apps/optimux/settings/problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace optimux::apps {

/// One `key = value` of the file that is right in itself.
struct FileEntry {
  const Option* option = nullptr;  ///< Points into the option table.
  OptionValue value;
  std::string place;  ///< As in `optimux.toml:12`.
};

struct FileReading {
  std::vector<FileEntry> entries;
  std::vector<Problem> problems;  ///< Syntax, unknown keys, wrong types, values out of range: each with its line.
};

/// Reads a TOML file of at most 1 MiB. A file that cannot be read or parsed gives one problem and no entry. Blocks on
/// the file system.
FileReading read_configuration_file(const std::string& path);

/// The same for the text of a file; `name` stands in the places.
FileReading read_configuration_text(std::string_view text, std::string_view name);

}  // namespace optimux::apps
