#include "http/problem.hpp"

#include "base/text.hpp"

namespace optimux::http {

std::string write_problem(const Problem& problem) {
  std::string json = "{\"type\":" + base::json_quote(problem.type) + ",\"title\":" + base::json_quote(problem.title) +
                     ",\"status\":" + std::to_string(problem.status);
  if (!problem.detail.empty()) json += ",\"detail\":" + base::json_quote(problem.detail);
  if (!problem.request_id.empty()) json += ",\"request_id\":" + base::json_quote(problem.request_id);
  return json + "}\n";
}

}  // namespace optimux::http
