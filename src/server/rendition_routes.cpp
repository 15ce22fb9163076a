#include "server/rendition_routes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/target.hpp"
#include "server/call_parameters.hpp"
#include "server/json_answer.hpp"
#include "server/prepared_call.hpp"
#include "server/rate_gate.hpp"
#include "server/rendition_answer.hpp"
#include "source/source.hpp"

namespace optimux::server {
namespace {

using base::ErrorCode;
using base::Result;
using source::SourceLocator;

constexpr const char* kResize = "/resize";
constexpr const char* kAssets = "/optimux/assets/";
constexpr const char* kStatic = "/optimux/static/";
constexpr const char* kInfo = "/info";
constexpr const char* kAssetInfo = "/optimux/info/";

/// The key that stands behind the route's prefix: percent-decoded once, then used byte for byte.
Result<SourceLocator> locate_key(const RouteCall& call, std::string_view prefix) {
  auto key = http::decode_path(call.rest);
  if (!key) return base::fail(key.error());
  return source::make_file_locator(std::string(prefix) + *key);
}

/// Asked before the caches are: what they hold may be of a time with other lists.
Result<SourceLocator> locate_url(const RouteCall& call, const CallParameters& parameters) {
  auto locator = source::parse_source_url(*parameters.image_url);
  if (!locator) return locator;
  auto reason = call.context.protection->sources.refusal(*locator);
  if (reason) return base::fail(ErrorCode::kForbiddenSource, {}, *std::move(reason));
  return locator;
}

Result<SourceLocator> locate_asset(const RouteCall& call, const CallParameters&) {
  return locate_key(call, "");
}

Result<SourceLocator> locate_static(const RouteCall& call, const CallParameters&) {
  return locate_key(call, call.context.settings->static_prefix);
}

/// A 406 depends on Accept as much as the picture would have.
http::Headers fields_of_refusal(const base::Error& error) {
  return error.code == ErrorCode::kNotAcceptable ? http::Headers{{"Vary", "Accept"}} : http::Headers{};
}

std::vector<service::OpenedRendition> open(ServerState& state, const RouteCall& call, const PreparedCall& prepared) {
  if (!prepared.is_original) return state.backend.open(prepared.spec, call.context.deadline, prepared.hops);
  std::vector<service::OpenedRendition> opened;
  opened.push_back(state.backend.open_original(prepared.spec.source, call.context.deadline, prepared.hops));
  return opened;
}

std::unique_ptr<Answer> answer_with(ServerState& state, const RouteCall& call, service::Delivery delivery,
                                    std::vector<service::OpenedRendition> opened, RenditionExtras extras) {
  count_less_for_hits(state, call.context, opened);
  if (delivery == service::Delivery::kJson) {
    return std::make_unique<JsonAnswer>(state, call.request, call.context, std::move(opened), std::move(extras));
  }
  return std::make_unique<RenditionAnswer>(state, call.request, call.context, std::move(opened), std::move(extras));
}

/// Null where the call is not known, or what it asks for is not at hand.
std::unique_ptr<Answer> answer_as_before(ServerState& state, const RouteCall& call) {
  auto known = state.known_calls.find(call);
  if (!known) return nullptr;
  auto opened = state.backend.open_fresh(known->call->keys);
  if (opened.empty()) return nullptr;
  return answer_with(state, call, known->call->delivery, std::move(opened), std::move(known->extras));
}

/// Those of which nothing is at hand come once: to keep them would push out the others.
bool are_hits(const std::vector<service::OpenedRendition>& opened) {
  return std::ranges::all_of(opened, [](const service::OpenedRendition& rendition) {
    return rendition.outcome == service::CacheOutcome::kHit;
  });
}

std::unique_ptr<Answer> answer_with_rendition(ServerState& state, const RouteCall& call, bool has_image_url,
                                              Locate locate) {
  if (auto answer = answer_as_before(state, call)) return answer;
  auto prepared = prepare_call(call, has_image_url, locate);
  if (!prepared) return refusal_answer(state, call.context, prepared.error(), fields_of_refusal(prepared.error()));
  auto opened = open(state, call, *prepared);
  if (are_hits(opened)) state.known_calls.keep(call, *prepared);
  return answer_with(state, call, prepared->delivery, std::move(opened), std::move(prepared->extras));
}

/// The routes that describe take no parameter but the source.
base::Status check_for_info(const CallParameters& parameters) {
  if (parameters.transform.empty() && !parameters.download) return {};
  const std::string name = parameters.transform.empty() ? "download" : parameters.transform[0].name;
  return base::fail(ErrorCode::kInvalidParameter, name + ": this route does not take it");
}

std::unique_ptr<Answer> answer_with_info(ServerState& state, const RouteCall& call, bool has_image_url) {
  const auto parameters = read_call_parameters(call, has_image_url);
  if (!parameters) return refusal_answer(state, call.context, parameters.error());
  const base::Status status = check_for_info(*parameters);
  if (!status) return refusal_answer(state, call.context, status.error());
  auto locator = has_image_url ? locate_url(call, *parameters) : locate_asset(call, *parameters);
  if (!locator) return refusal_answer(state, call.context, locator.error());
  std::vector<service::OpenedRendition> opened;
  opened.push_back(state.backend.open_info(*locator, call.context.deadline, parameters->hops));
  count_less_for_hits(state, call.context, opened);
  RenditionExtras extras;
  extras.time_left = parameters->time_left;
  return std::make_unique<RenditionAnswer>(state, call.request, call.context, std::move(opened), std::move(extras));
}

/// A route whose answers are kept.
struct KeptRoute {
  std::string_view path;
  bool is_prefix;
  bool has_image_url;
  bool describes;
  Locate locate;
};

constexpr KeptRoute kKeptRoutes[] = {{kResize, false, true, false, locate_url},
                                     {kAssets, true, false, false, locate_asset},
                                     {kStatic, true, false, false, locate_static},
                                     {kInfo, false, true, true, locate_url},
                                     {kAssetInfo, true, false, true, locate_asset}};

const KeptRoute* kept_route_at(std::string_view path) {
  for (const KeptRoute& route : kKeptRoutes) {
    const bool matches = route.is_prefix ? path.starts_with(route.path) && path != route.path : path == route.path;
    if (matches) return &route;
  }
  return nullptr;
}

/// Path and query of a URL with or without scheme and authority.
std::string_view target_of(std::string_view url) {
  const auto scheme_end = url.find("://");
  if (url.starts_with('/') || scheme_end == std::string_view::npos) return url;
  const auto path = url.find('/', scheme_end + 3);
  return path == std::string_view::npos ? "/" : url.substr(path);
}

/// Whoever asks at the admin listener needs no signature, and may name what is not allowed any more.
RequestContext context_of_owner(const RequestContext& context) {
  RequestContext own = context;
  auto lenient = std::make_shared<Protection>(*context.protection);
  lenient->signer = {};
  lenient->sources = {};
  own.protection = std::move(lenient);
  return own;
}

base::Result<NamedRenditions> description_at(const RouteCall& call, const KeptRoute& route) {
  const auto parameters = read_call_parameters(call, route.has_image_url);
  if (!parameters) return base::fail(parameters.error());
  auto source = route.locate(call, *parameters);
  if (!source) return base::fail(source.error());
  return NamedRenditions{{}, *std::move(source)};
}

}  // namespace

base::Result<NamedRenditions> renditions_named_by(std::string_view url, const RequestContext& context) {
  const http::SplitTarget target = http::split_target(target_of(url));
  const KeptRoute* const route = kept_route_at(target.path);
  if (route == nullptr) return base::fail(ErrorCode::kNotFound, "url: no route answers with renditions there");
  const std::string_view rest = route->is_prefix ? target.path.substr(route->path.size()) : std::string_view();
  const RequestContext own_context = context_of_owner(context);
  NamedRenditions named;
  // Together these make `format=auto` choose everything that it can.
  for (const char* accept : {"*/*", "image/webp", "image/avif", "image/jpeg", "image/png", "image/gif"}) {
    http::Request request;
    request.target = std::string(target_of(url));
    request.headers.add("Accept", accept);
    const RouteCall call{request, own_context, target.path, rest, target.query};
    if (route->describes) return description_at(call, *route);
    auto prepared = prepare_call(call, route->has_image_url, route->locate);
    if (!prepared) return base::fail(prepared.error());
    if (prepared->is_original) return NamedRenditions{{}, std::move(prepared->spec.source)};
    named.specs.push_back(std::move(prepared->spec));
    if (!prepared->extras.varies_by_accept) break;
  }
  return named;
}

bool is_rendition_path(std::string_view path) {
  return kept_route_at(path) != nullptr;
}

void add_rendition_routes(Router& router, ServerState& state) {
  router.add({"resize", kResize, false, "GET",
              [&state](const RouteCall& call) { return answer_with_rendition(state, call, true, locate_url); }, true});
  router.add({"assets", kAssets, true, "GET",
              [&state](const RouteCall& call) { return answer_with_rendition(state, call, false, locate_asset); },
              true});
  router.add({"static", kStatic, true, "GET",
              [&state](const RouteCall& call) { return answer_with_rendition(state, call, false, locate_static); },
              true});
  router.add({"info", kInfo, false, "GET",
              [&state](const RouteCall& call) { return answer_with_info(state, call, true); }, true});
  router.add({"info", kAssetInfo, true, "GET",
              [&state](const RouteCall& call) { return answer_with_info(state, call, false); }, true});
}

}  // namespace optimux::server
