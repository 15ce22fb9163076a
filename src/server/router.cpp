#include "server/router.hpp"

#include "http/target.hpp"

namespace optimux::server {

bool Router::matches(const Route& route, std::string_view path) {
  return route.is_prefix ? path.size() > route.path.size() && path.starts_with(route.path) : path == route.path;
}

std::string Router::allowed_methods(std::string_view path) const {
  std::string methods;
  for (const Route& route : routes_) {
    if (!matches(route, path)) continue;
    if (!methods.empty()) methods += ", ";
    methods += route.method == "GET" ? "GET, HEAD" : route.method;
  }
  return methods.empty() ? methods : methods + ", OPTIONS";
}

Router::Routed Router::answer(const http::Request& request, const RequestContext& context) const {
  if (auto refusal = guard_ ? guard_(request, context) : nullptr) return {"none", std::move(refusal)};
  const http::SplitTarget target = http::split_target(request.target);
  const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
  for (const Route& route : routes_) {
    if (route.method != method || !matches(route, target.path)) continue;
    auto refusal = route.is_limited && gate_ ? gate_(context) : nullptr;
    if (refusal) return {route.name, std::move(refusal)};
    const std::string_view rest = route.is_prefix ? target.path.substr(route.path.size()) : std::string_view();
    return {route.name, route.handle(RouteCall{request, context, target.path, rest, target.query})};
  }
  const bool is_asterisk = target.path == "*";
  const std::string allowed = is_asterisk ? "GET, HEAD, OPTIONS" : allowed_methods(target.path);
  if (allowed.empty()) {
    return {"none", problem_answer(state_, context, {base::ErrorCode::kNotFound, "there is no such route", {}})};
  }
  if (method == "OPTIONS") return {"options", empty_answer(204, {{"Allow", allowed}})};
  return {"none", problem_answer(state_, context, {base::ErrorCode::kMethodNotAllowed, "", {}}, {{"Allow", allowed}})};
}

}  // namespace optimux::server
