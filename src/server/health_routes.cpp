#include "server/health_routes.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";

std::unique_ptr<Answer> ready(const ServerState& state, const RouteCall& call) {
  if (!state.is_draining()) return text_answer(kText, "ready\n");
  return problem_answer(state, call.context, {base::ErrorCode::kShuttingDown, "", {}});
}

}  // namespace

void add_health_routes(Router& router, ServerState& state) {
  router.add({"ping", "/optimux/ping", false, "GET", [](const RouteCall&) { return text_answer(kText, "pong\n"); }});
  router.add({"health", "/health", false, "GET", [](const RouteCall&) { return text_answer(kText, "ok\n"); }});
  router.add({"ready", "/ready", false, "GET", [&state](const RouteCall& call) { return ready(state, call); }});
}

}  // namespace optimux::server
