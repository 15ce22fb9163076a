#include "server/docs_routes.hpp"

#include <memory>
#include <string>
#include <utility>

#include "server/docs_page.hpp"
#include "server/openapi.hpp"

namespace optimux::server {
namespace {

/// The pages bring all they need; only pictures may come from elsewhere.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src * data: blob:; connect-src "
    "'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::unique_ptr<Answer> page(std::string_view content_type, const std::shared_ptr<const std::string>& body) {
  http::ResponseHead head;
  head.headers.add("Content-Type", content_type);
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Content-Security-Policy", kPolicy);
  return std::make_unique<TextAnswer>(std::move(head), body);
}

Route docs_route(const ServerState& state, std::string_view name, std::string path, std::string_view content_type,
                 std::string body) {
  return {name, std::move(path), false, "GET",
          [&state, content_type, body = std::make_shared<const std::string>(std::move(body))](
              const RouteCall& call) -> std::unique_ptr<Answer> {
            if (call.context.settings->docs) return page(content_type, body);
            return problem_answer(state, call.context, {base::ErrorCode::kNotFound, "there is no such route", {}});
          }};
}

}  // namespace

void add_docs_routes(Router& router, ServerState& state) {
  constexpr std::string_view kHtml = "text/html; charset=utf-8";
  router.add(docs_route(state, "landing", "/", kHtml, std::string(landing_page())));
  router.add(docs_route(state, "docs", "/optimux/docs", kHtml, std::string(docs_page())));
  router.add(docs_route(state, "openapi", "/openapi.json", "application/json", openapi_document()));
}

}  // namespace optimux::server
