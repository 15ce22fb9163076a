#pragma once

#include "base/result.hpp"

#include <string>

namespace optimux::apps {

/// The whole of a file, or of standard input for `-`; at most 64 MiB. Blocks. Errors: kNotFound, kSourceTooLarge.
base::Result<std::string> read_text(const std::string& path);

/// Writes a file; what was there is replaced. Blocks. Errors: kInternal, naming the file.
base::Status write_text(const std::string& path, const std::string& text);

}  // namespace optimux::apps
