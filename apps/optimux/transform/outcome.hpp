#pragma once

#include "service/rendition.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace optimux::apps {

/// Why something was not written.
struct Failure {
  /// One stable word for scripts, as docs/cli.md lists them: `exists`, `is_input`, `name_taken`, `no_such_file`,
  /// `cannot_read`, `cannot_write`, or the name of a `base::ErrorCode`.
  std::string code;
  std::string detail;  ///< For people.
  std::string cause;   ///< For people who want to know more; may be empty.
};

/// What became of one size of one input.
struct Outcome {
  enum class Kind { kWritten, kSkipped, kFailed };
  Kind kind = Kind::kFailed;
  std::string input;   ///< As it was given or found.
  std::string output;  ///< Path of the file; empty when it failed before it had a name.
  std::string size;    ///< As it was asked for: `300x0`.
  int width = 0;       ///< Pixels of the rendition; 0 unless it was written.
  int height = 0;
  std::uint64_t bytes = 0;               ///< Of the rendition; 0 unless it was written.
  std::chrono::microseconds elapsed{0};  ///< From being begun to being whole.
  service::RenditionTimings timings;
  std::optional<Failure> error;  ///< Of a failure.
};

}  // namespace optimux::apps
