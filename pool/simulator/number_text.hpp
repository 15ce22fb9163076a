/// \file
/// Numbers as text and back, whatever the locale.
#pragma once

#include "optimux/pool/clock.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace optimux::pool::simulator {

/// A finite number that fills `text`: "12", "0.5", "1e-3". Empty for anything else.
[[nodiscard]] std::optional<double> read_number(std::string_view text);

/// A length of time: a number of 0 or more, at most 1e9 s, with one of the units us, ms, s and min: "700ms", "0.5s". A
/// lone 0 needs no unit. Empty for anything else.
[[nodiscard]] std::optional<Duration> read_duration(std::string_view text);

/// With a point, up to `decimals` (0 to 15) decimals and no zeros at the end.
[[nodiscard]] std::string number_text(double number, int decimals);
/// A length of time in the largest unit in which it is 1 or more, with up to three digits behind the point: "700ms",
/// "1.5s"; "0s" for nothing.
[[nodiscard]] std::string duration_text(Duration duration);

}  // namespace optimux::pool::simulator
