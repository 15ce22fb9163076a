#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace optimux::source {

/// The name under which this process stands in the `Via` field (RFC 9110, section 7.6.3) of what it asks origins for:
/// `optimux-` and eight hexadecimal digits, drawn once for each process, so that several servers of this product behind
/// one another are told apart from one that asks itself. Thread-safe.
const std::string& via_pseudonym();

/// Servers of this product that a request may have come through. Nobody chains more of them, and a loop of several
/// servers that do not know of one another would otherwise be as long as it likes.
inline constexpr std::size_t kMaxHops = 8;

/// What of `via`, all values of a request's `Via` as one list, is passed on to origins: the elements of processes of
/// this product, so that a loop over several of them is seen by the one at which it closes. Others stay here: they may
/// name what stands in front of this server. As a list again; empty if there are none. Nothing if the request leads
/// back to where it came from: `via` names this process, or more than kMaxHops of them.
std::optional<std::string> hops_of(std::string_view via);

/// The value of `Via` with which this process asks an origin for what a request wants that came with `hops`.
std::string via_field(std::string_view hops);

}  // namespace optimux::source
