#pragma once

#include <span>
#include <string_view>

namespace optimux::service {

/// The one of `names` that `given` was most likely meant to be: the fewest single-letter changes (insert, delete,
/// replace: Levenshtein 1965), case ignored, and no more than a third of its letters. Empty when none is that near.
/// Ties go to the earlier name. Does not block; takes time proportional to the lengths, of which the first 64 bytes
/// count.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> names);

}  // namespace optimux::service
