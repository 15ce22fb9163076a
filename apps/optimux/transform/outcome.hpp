#pragma once

#include "base/error.hpp"
#include "service/rendition.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace optimux::apps {

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
  std::optional<base::Error> error;  ///< Of a failure.
};

}  // namespace optimux::apps
