#include "server/rendition_routes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/link.hpp"
#include "http/target.hpp"
#include "server/format_negotiation.hpp"
#include "server/json_answer.hpp"
#include "server/rendition_answer.hpp"
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
};

base::Status take_once(std::optional<std::string>& place, const QueryParameter& parameter) {
  if (place) return base::fail(ErrorCode::kInvalidParameter, parameter.name + ": given more than once");
  place = parameter.value;
  return {};
}

/// Says what is wrong with the others too: the URL is often there, under another name.
tl::unexpected<base::Error> image_url_missing(const CallParameters& parameters) {
  std::string detail = "image_url: missing; it is the URL of the image";
  const auto others = service::parse_transform_parameters(parameters.transform);
  if (!others) detail += "; " + others.error().detail;
  return base::fail(ErrorCode::kInvalidParameter, std::move(detail));
}

/// A URL that leads back here would be fetched by a request that fetches it again, and so on until a limit is used up.
base::Status check_for_loop(const RouteCall& call) {
  if (!source::is_via_this_process(call.request.headers.joined("Via"))) return {};
  return base::fail(ErrorCode::kOriginFailed, "image_url: loops; it leads back to this server");
}

/// `image_url` is a parameter of the routes that have no key in their path; elsewhere it is unknown like any other.
Result<CallParameters> read_parameters(const RouteCall& call, bool has_image_url) {
  if (has_image_url) {
    const base::Status status = check_for_loop(call);
    if (!status) return base::fail(status.error());
  }
  auto query = http::parse_query(call.query);
  if (!query) return base::fail(query.error());
  CallParameters parameters;
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
};

Result<PreparedCall> prepare(const RouteCall& call, bool has_image_url, Locate locate) {
  auto parameters = read_parameters(call, has_image_url);
  if (!parameters) return base::fail(parameters.error());
  auto transform = service::parse_transform_parameters(parameters->transform);
  if (!transform) return base::fail(transform.error());
  auto locator = locate(call, *parameters);
  if (!locator) return base::fail(locator.error());
  PreparedCall prepared;
  prepared.delivery = transform->delivery;
  prepared.extras.varies_by_accept = transform->negotiate_format;
  prepared.extras.download = std::move(parameters->download);
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
  auto opened = state.backend.open(prepared->spec, call.context.deadline);
  if (prepared->delivery == service::Delivery::kJson) {
    return std::make_unique<JsonAnswer>(state, call.request, call.context, std::move(opened),
                                        std::move(prepared->extras));
  }
  return std::make_unique<RenditionAnswer>(state, call.request, call.context, std::move(opened),
                                           std::move(prepared->extras));
}

Result<SourceLocator> locate_for_info(const RouteCall& call, bool has_image_url) {
  auto parameters = read_parameters(call, has_image_url);
  if (!parameters) return base::fail(parameters.error());
  if (!parameters->transform.empty() || parameters->download) {
    const std::string name = parameters->transform.empty() ? "download" : parameters->transform[0].name;
    return base::fail(ErrorCode::kInvalidParameter, name + ": this route does not take it");
  }
  return has_image_url ? locate_url(call, *parameters) : locate_asset(call, *parameters);
}

std::unique_ptr<Answer> answer_with_info(ServerState& state, const RouteCall& call, bool has_image_url) {
  auto locator = locate_for_info(call, has_image_url);
  if (!locator) return problem_answer(state, call.context, locator.error());
  std::vector<service::OpenedRendition> opened;
  opened.push_back(state.backend.open_info(*locator, call.context.deadline));
  return std::make_unique<RenditionAnswer>(state, call.request, call.context, std::move(opened), RenditionExtras{});
}

}  // namespace

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
