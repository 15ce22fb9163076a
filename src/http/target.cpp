#include "http/target.hpp"

#include <utility>

#include "base/text.hpp"

namespace optimux::http {
namespace {

base::Result<std::string> decode(std::string_view text, bool plus_is_space) {
  auto decoded = base::percent_decode(text, plus_is_space);
  if (!decoded) {
    return base::fail(base::ErrorCode::kInvalidUrl, "the URL has a % that no two hexadecimal digits follow");
  }
  return std::move(*decoded);
}

}  // namespace

SplitTarget split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

base::Result<std::vector<QueryParameter>> parse_query(std::string_view query) {
  std::vector<QueryParameter> parameters;
  for (const std::string_view part : base::split(query, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    auto name = decode(part.substr(0, equals), true);
    if (!name) return base::fail(name.error());
    auto value = decode(equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), true);
    if (!value) return base::fail(value.error());
    parameters.push_back(QueryParameter{std::move(*name), std::move(*value)});
  }
  return parameters;
}

std::string write_query(const std::vector<QueryParameter>& parameters) {
  std::string query;
  for (const QueryParameter& parameter : parameters) {
    if (!query.empty()) query += '&';
    query += base::percent_encode(parameter.name) + '=' + base::percent_encode(parameter.value, "/:,@!$()*");
  }
  return query;
}

base::Result<std::string> decode_path(std::string_view path) {
  return decode(path, false);
}

}  // namespace optimux::http
