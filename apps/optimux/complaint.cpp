#include "apps/optimux/complaint.hpp"

#include "base/text.hpp"

#include <iostream>

namespace optimux::apps {

std::string with_cause(std::string detail, std::string_view cause) {
  if (!cause.empty()) detail.append(" (").append(cause).append(")");
  return detail;
}

ExitCode complain(ExitCode code, std::string_view what) {
  std::cerr << "optimux: " << base::printable(what) << '\n';
  return code;
}

ExitCode complain(ExitCode code, const base::Error& error) {
  return complain(code, with_cause(error.detail, error.cause));
}

}  // namespace optimux::apps
