#pragma once

#include <string>
#include <string_view>

namespace optimux::source {

/// The name under which this process stands in the `Via` field (RFC 9110, section 7.6.3) of what it asks origins for:
/// `optimux-` and eight hexadecimal digits, drawn once for each process, so that several servers of this product behind
/// one another are told apart from one that asks itself. Thread-safe.
const std::string& via_pseudonym();

/// Whether `via`, all values of a request's `Via` as one list, names this process: the request leads back to where it
/// came from.
bool is_via_this_process(std::string_view via);

}  // namespace optimux::source
