#pragma once

#include <string>
#include <string_view>

namespace optimux::http {

/// The body of an error answer (RFC 9457).
struct Problem {
  std::string_view type;   ///< A URI reference that names the kind of error.
  std::string_view title;  ///< The same for every error of that kind.
  int status = 500;
  std::string_view detail;      ///< What it was this time; left out when empty.
  std::string_view request_id;  ///< To find the request in the log; left out when empty.
};

inline constexpr std::string_view kProblemType = "application/problem+json";

/// The problem as JSON, one line.
std::string write_problem(const Problem& problem);

}  // namespace optimux::http
