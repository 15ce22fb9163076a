#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optimux::apps {

/// One thing that is wrong with a configuration.
struct Problem {
  std::string key;      ///< Of the option, or as it was written where it is unknown; empty for a file as a whole.
  std::string place;    ///< `optimux.toml:12`, `OPTIMUX_LISTEN` or `--listen`; empty when the default is what is wrong.
  std::string message;  ///< Names the value and what was expected.

  /// One line without a line end: `optimux.toml:12: image_queue: 0 is out of range: expected 1 to 1000000`.
  std::string text() const {
    const std::string prefix = place.empty() ? "" : place + ": ";
    return prefix + (key.empty() ? "" : key + ": ") + message;
  }
};

}  // namespace optimux::apps
