#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace optimux::base {

/// A number of bytes as people write it: `64MiB`, `512 KiB`, `1GB`, `4096`, `4096B`. KiB, MiB, GiB and TiB are powers
/// of 1024; kB, MB, GB and TB powers of 1000; the unit's case does not matter. kInvalidParameter when it is neither.
Result<std::uint64_t> parse_bytes(std::string_view text);

/// A span of time as people write it: `250ms`, `5s`, `2m`, `1h`, decimals allowed, not negative. A bare number other
/// than 0 is refused, because nobody can know its unit: kInvalidParameter.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The shortest exact way to write `bytes` that `parse_bytes` reads back.
std::string format_bytes(std::uint64_t bytes);

/// The shortest exact way to write `duration` that `parse_duration` reads back.
std::string format_duration(std::chrono::milliseconds duration);

}  // namespace optimux::base
