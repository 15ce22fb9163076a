#pragma once

#include "apps/optimux/command.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>

namespace optimux::apps {

/// `detail`, and behind it in parentheses `cause`, unless that is empty.
std::string with_cause(std::string detail, std::string_view cause);

/// What is wrong, as a line on standard error: `optimux: ` and `what`. File names and the words of origins may stand in
/// it, so what would move a terminal's cursor or turn the order of a line is escaped (`base::printable`). Returns
/// `code`, for the command to end with.
ExitCode complain(ExitCode code, std::string_view what);
/// The same for an error: its detail with its cause.
ExitCode complain(ExitCode code, const base::Error& error);

}  // namespace optimux::apps
