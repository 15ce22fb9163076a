#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "media/render_spec.hpp"

namespace optimux::service {

// Readers of single parameter values. Each takes the whole of `text` and gives nothing when it is not a value of its
// kind or is out of range; parameters.hpp says what is accepted. None blocks; all are thread-safe.

/// `true`, `1` or nothing; `false` or `0`.
std::optional<bool> read_switch(std::string_view text);

/// A decimal number from `smallest` to `largest`; an integer if T is one. No sign, not even before 0, where no number
/// is negative.
template <class T>
std::optional<T> read_number(std::string_view text, T smallest, T largest) {
  if (smallest >= T{} && text.starts_with('-')) return std::nullopt;
  const auto number = base::parse_number<T>(text);
  if (!number || *number < smallest || *number > largest) return std::nullopt;
  return number;
}

/// `WxH`, `W`, `Wx` or `xH`, sides from 0 to kMaxBoxSide.
std::optional<media::Size> read_size(std::string_view text);

/// One or more sizes with commas between them. Their number is the caller's to check.
std::optional<std::vector<media::Size>> read_sizes(std::string_view text);

std::optional<media::Fit> read_fit(std::string_view text);

/// A direction, `center`, `smart`, `entropy`, or `fp:X,Y` with both from 0 to 1.
std::optional<media::Gravity> read_gravity(std::string_view text);

/// A format that is written; `jpg` is `jpeg`.
std::optional<media::Format> read_format(std::string_view text);

/// `X,Y,W,H`, each in whole pixels or as a percentage (`12.5%`); W and H not 0.
std::optional<media::Crop> read_crop(std::string_view text);

std::optional<media::Flip> read_flip(std::string_view text);

/// `RRGGBB` or `RGB`, hexadecimal, with or without `#` before it.
std::optional<media::Colour> read_colour(std::string_view text);

}  // namespace optimux::service
