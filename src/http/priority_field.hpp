#pragma once

#include <optional>
#include <string_view>

namespace optimux::http {

/// The parameters of a `Priority` field (RFC 9218, section 4) that were given and are valid. What an absent one means
/// depends on who sent the field: the default in a request, no opinion in a response.
struct PriorityParameters {
  std::optional<int> urgency;       ///< `u`: 0, the most urgent, to 7.
  std::optional<bool> incremental;  ///< `i`: whether parts of the response are of use before the rest.

  friend bool operator==(const PriorityParameters&, const PriorityParameters&) = default;
};

/// Reads the value of a `Priority` field or of a PRIORITY_UPDATE frame, a dictionary of structured fields (RFC 8941,
/// section 3.2). Unknown keys, and values out of range or of another type, are passed over as RFC 9218 asks; of a value
/// that is no dictionary nothing is taken. Never fails.
PriorityParameters parse_priority_field(std::string_view value);

}  // namespace optimux::http
