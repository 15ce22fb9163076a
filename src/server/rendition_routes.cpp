#include "server/rendition_routes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "http/link.hpp"
#include "http/target.hpp"
#include "server/format_negotiation.hpp"
#include "server/json_answer.hpp"
#include "server/rendition_answer.hpp"
#include "service/nearest_name.hpp"
#include "service/parameters.hpp"
#include "source/source.hpp"
#include "source/via.hpp"

namespace optimux::server {
namespace {

using base::ErrorCode;
using base::Result;
using http::QueryParameter;
using source::SourceLocator;

/// The query of a call: what belongs to the route, and what makes the rendition.
struct CallParameters {
  std::vector<QueryParameter> all;
  std::vector<service::Parameter> transform;
  std::optional<std::string> image_url;
  std::optional<std::string> download;
  std::string hops;  ///< Servers of this product that the call has come through, as in `source::hops_of`.
};

base::Status take_once(std::optional<std::string>& place, const QueryParameter& parameter) {
  if (place) return base::fail(ErrorCode::kInvalidParameter, parameter.name + ": given more than once");
  place = parameter.value;
  return {};
}

/// Names under which other image servers take what is `image_url` here.
constexpr std::string_view kForeignNames[] = {"url", "uri", "src", "source", "image", "img"};

bool may_mean_image_url(std::string_view name) {
  constexpr std::string_view kName[] = {"image_url"};
  const bool is_foreign =
      std::find(std::begin(kForeignNames), std::end(kForeignNames), name) != std::end(kForeignNames);
  return is_foreign || !service::nearest_name(name, kName).empty();
}

/// Says what is wrong with the others too: the URL is often there, under another name.
tl::unexpected<base::Error> image_url_missing(const CallParameters& parameters) {
  std::string detail = "image_url: missing; it is the URL of the image";
  for (const service::Parameter& parameter : parameters.transform) {
    if (!may_mean_image_url(parameter.name)) continue;
    detail += "; there is no parameter " + base::json_quote(parameter.name) + "; did you mean image_url?";
    return base::fail(ErrorCode::kInvalidParameter, std::move(detail));
  }
  const auto others = service::parse_transform_parameters(parameters.transform);
  if (!others) detail += "; " + others.error().detail;
  return base::fail(ErrorCode::kInvalidParameter, std::move(detail));
}

/// Whether the image's URL has a query that was not percent-encoded: then its parameters are read as those of the call.
bool has_plain_query(std::string_view query) {
  for (const std::string_view part : base::split(query, '&')) {
    if (part.starts_with("image_url=") && part.find('?') != std::string_view::npos) return true;
  }
  return false;
}

Result<service::TransformParameters> read_transform(const RouteCall& call, const CallParameters& parameters) {
  auto transform = service::parse_transform_parameters(parameters.transform);
  if (transform || !parameters.image_url || !has_plain_query(call.query)) return transform;
  base::Error error = transform.error();
  error.detail += "; if it belongs to image_url, percent-encode that (? as %3F, & as %26)";
  return base::fail(std::move(error));
}

/// A URL that leads back here would be fetched by a request that fetches it again, and so on until a limit is used up.
base::Result<std::string> read_hops(const RouteCall& call) {
  auto hops = source::hops_of(call.request.headers.joined("Via"));
  if (!hops) return base::fail(ErrorCode::kOriginFailed, "image_url: loops; it leads back to this server");
  return *std::move(hops);
}

/// `image_url` is a parameter of the routes that have no key in their path; elsewhere it is unknown like any other.
Result<CallParameters> read_parameters(const RouteCall& call, bool has_image_url) {
  CallParameters parameters;
  if (has_image_url) {
    auto hops = read_hops(call);
    if (!hops) return base::fail(hops.error());
    parameters.hops = *std::move(hops);
  }
  auto query = http::parse_query(call.query);
  if (!query) return base::fail(query.error());
  parameters.all = std::move(*query);
  for (const QueryParameter& parameter : parameters.all) {
    base::Status status;
    if (has_image_url && parameter.name == "image_url") {
      status = take_once(parameters.image_url, parameter);
    } else if (parameter.name == "download") {
      status = take_once(parameters.download, parameter);
    } else {
      parameters.transform.push_back(service::Parameter{parameter.name, parameter.value});
    }
    if (!status) return base::fail(status.error());
  }
  if (has_image_url && !parameters.image_url) return image_url_missing(parameters);
  return parameters;
}

/// The key that stands behind the route's prefix: percent-decoded once, then used byte for byte.
Result<SourceLocator> locate_key(const RouteCall& call, std::string_view prefix) {
  auto key = http::decode_path(call.rest);
  if (!key) return base::fail(key.error());
  return source::make_file_locator(std::string(prefix) + *key);
}

using Locate = Result<SourceLocator> (*)(const RouteCall&, const CallParameters&);

Result<SourceLocator> locate_url(const RouteCall&, const CallParameters& parameters) {
  return source::parse_source_url(*parameters.image_url);
}

Result<SourceLocator> locate_asset(const RouteCall& call, const CallParameters&) {
  return locate_key(call, "");
}

Result<SourceLocator> locate_static(const RouteCall& call, const CallParameters&) {
  return locate_key(call, call.context.settings->static_prefix);
}

/// `Link` values for all sizes but the first: the call's own URL with that one size. What is asked for twice is named
/// once, and what the answer itself is not at all.
std::vector<std::string> links_to_other_sizes(const RouteCall& call, const CallParameters& parameters,
                                              const std::vector<media::Size>& sizes) {
  std::vector<QueryParameter> query = parameters.all;
  std::erase_if(query, [](const QueryParameter& parameter) { return parameter.name == "sizes"; });
  std::vector<std::string> links;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const auto here = sizes.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(sizes.begin(), here, *here) != here) continue;
    std::vector<QueryParameter> single = query;
    single.push_back({"sizes", std::to_string(sizes[i].width) + 'x' + std::to_string(sizes[i].height)});
    links.push_back(http::preload_link(std::string(call.path) + '?' + http::write_query(single)));
  }
  return links;
}

/// A transform and how to answer with it.
struct PreparedCall {
  service::TransformSpec spec;
  service::Delivery delivery = service::Delivery::kStream;
  RenditionExtras extras;
  std::string hops;
};

Result<PreparedCall> prepare(const RouteCall& call, bool has_image_url, Locate locate) {
  auto parameters = read_parameters(call, has_image_url);
  if (!parameters) return base::fail(parameters.error());
  auto transform = read_transform(call, *parameters);
  if (!transform) return base::fail(transform.error());
  auto locator = locate(call, *parameters);
  if (!locator) return base::fail(locator.error());
  PreparedCall prepared;
  prepared.delivery = transform->delivery;
  prepared.extras.varies_by_accept = transform->negotiate_format;
  prepared.extras.download = std::move(parameters->download);
  prepared.hops = std::move(parameters->hops);
  if (transform->negotiate_format) {
    auto format = negotiate_format(call.request.headers.joined("Accept"));
    if (!format) return base::fail(format.error());
    transform->render.format = *format;
  }
  if (prepared.delivery != service::Delivery::kJson) {
    prepared.extras.links = links_to_other_sizes(call, *parameters, transform->render.sizes);
  }
  prepared.spec = service::TransformSpec{std::move(*locator), std::move(transform->render)};
  return prepared;
}

/// A 406 depends on Accept as much as the picture would have.
http::Headers fields_of_refusal(const base::Error& error) {
  return error.code == ErrorCode::kNotAcceptable ? http::Headers{{"Vary", "Accept"}} : http::Headers{};
}

std::unique_ptr<Answer> answer_with_rendition(ServerState& state, const RouteCall& call, bool has_image_url,
                                              Locate locate) {
  auto prepared = prepare(call, has_image_url, locate);
  if (!prepared) return problem_answer(state, call.context, prepared.error(), fields_of_refusal(prepared.error()));
  auto opened = state.backend.open(prepared->spec, call.context.deadline, prepared->hops);
  if (prepared->delivery == service::Delivery::kJson) {
    return std::make_unique<JsonAnswer>(state, call.request, call.context, std::move(opened),
                                        std::move(prepared->extras));
  }
  return std::make_unique<RenditionAnswer>(state, call.request, call.context, std::move(opened),
                                           std::move(prepared->extras));
}

/// The routes that describe take no parameter but the source.
base::Status check_for_info(const CallParameters& parameters) {
  if (parameters.transform.empty() && !parameters.download) return {};
  const std::string name = parameters.transform.empty() ? "download" : parameters.transform[0].name;
  return base::fail(ErrorCode::kInvalidParameter, name + ": this route does not take it");
}

std::unique_ptr<Answer> answer_with_info(ServerState& state, const RouteCall& call, bool has_image_url) {
  const auto parameters = read_parameters(call, has_image_url);
  if (!parameters) return problem_answer(state, call.context, parameters.error());
  const base::Status status = check_for_info(*parameters);
  if (!status) return problem_answer(state, call.context, status.error());
  auto locator = has_image_url ? locate_url(call, *parameters) : locate_asset(call, *parameters);
  if (!locator) return problem_answer(state, call.context, locator.error());
  std::vector<service::OpenedRendition> opened;
  opened.push_back(state.backend.open_info(*locator, call.context.deadline, parameters->hops));
  return std::make_unique<RenditionAnswer>(state, call.request, call.context, std::move(opened), RenditionExtras{});
}

/// A route whose answers are kept.
struct KeptRoute {
  std::string_view path;
  bool is_prefix;
  bool has_image_url;
  bool describes;
  Locate locate;
};

constexpr KeptRoute kKeptRoutes[] = {{"/resize", false, true, false, locate_url},
                                     {"/optimux/assets/", true, false, false, locate_asset},
                                     {"/optimux/static/", true, false, false, locate_static},
                                     {"/info", false, true, true, locate_url},
                                     {"/optimux/info/", true, false, true, locate_asset}};

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

base::Result<NamedRenditions> description_at(const RouteCall& call, const KeptRoute& route) {
  const auto parameters = read_parameters(call, route.has_image_url);
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
  NamedRenditions named;
  // Together these make `format=auto` choose everything that it can.
  for (const char* accept : {"*/*", "image/webp", "image/avif", "image/jpeg", "image/png", "image/gif"}) {
    http::Request request;
    request.headers.add("Accept", accept);
    const RouteCall call{request, context, target.path, rest, target.query};
    if (route->describes) return description_at(call, *route);
    auto prepared = prepare(call, route->has_image_url, route->locate);
    if (!prepared) return base::fail(prepared.error());
    named.specs.push_back(std::move(prepared->spec));
    if (!prepared->extras.varies_by_accept) break;
  }
  return named;
}

void add_rendition_routes(Router& router, ServerState& state) {
  router.add({"resize", "/resize", false, "GET",
              [&state](const RouteCall& call) { return answer_with_rendition(state, call, true, locate_url); }});
  router.add({"assets", "/optimux/assets/", true, "GET",
              [&state](const RouteCall& call) { return answer_with_rendition(state, call, false, locate_asset); }});
  router.add({"static", "/optimux/static/", true, "GET",
              [&state](const RouteCall& call) { return answer_with_rendition(state, call, false, locate_static); }});
  router.add(
      {"info", "/info", false, "GET", [&state](const RouteCall& call) { return answer_with_info(state, call, true); }});
  router.add({"info", "/optimux/info/", true, "GET",
              [&state](const RouteCall& call) { return answer_with_info(state, call, false); }});
}

}  // namespace optimux::server
