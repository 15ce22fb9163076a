#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace optimux::base {

/// The SHA-256 digest (FIPS 180-4) of `bytes`: 32 raw bytes. Any thread. Throws std::bad_alloc where memory is used up.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view bytes);

}  // namespace optimux::base
