#include "server/call_parameters.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "server/url_signature.hpp"
#include "service/nearest_name.hpp"
#include "source/via.hpp"

namespace optimux::server {
namespace {

using base::ErrorCode;
using base::Result;
using http::QueryParameter;

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

/// What the parameters ask for, once what presets stand for has taken their place.
Result<service::TransformParameters> parse_with_presets(const RequestContext& context,
                                                        const std::vector<service::Parameter>& given) {
  const Presets& presets = context.protection->presets;
  const auto expanded = context.settings->presets_only ? presets.expand_alone(given) : presets.expand(given);
  if (!expanded) return base::fail(expanded.error());
  return service::parse_transform_parameters(*expanded);
}

/// Says what is wrong with the others too: the URL is often there, under another name.
tl::unexpected<base::Error> image_url_missing(const RequestContext& context, const CallParameters& parameters) {
  std::string detail = "image_url: missing; it is the URL of the image";
  for (const service::Parameter& parameter : parameters.transform) {
    if (!may_mean_image_url(parameter.name)) continue;
    detail += "; there is no parameter " + base::json_quote(parameter.name) + "; did you mean image_url?";
    return base::fail(ErrorCode::kInvalidParameter, std::move(detail));
  }
  const auto others = parse_with_presets(context, parameters.transform);
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

/// A URL that leads back here would be fetched by a request that fetches it again, and so on until a limit is used up.
Result<std::string> read_hops(const RouteCall& call) {
  auto hops = source::hops_of(call.request.headers.joined("Via"));
  if (!hops) return base::fail(ErrorCode::kOriginFailed, "image_url: loops; it leads back to this server");
  return *std::move(hops);
}

/// Sorts the parameters of `all` to their places. `expires` is left as it was given.
base::Status sort_parameters(CallParameters& parameters, bool has_image_url, std::optional<std::string>& expires) {
  for (const QueryParameter& parameter : parameters.all) {
    base::Status status;
    if (has_image_url && parameter.name == "image_url") {
      status = take_once(parameters.image_url, parameter);
    } else if (parameter.name == "download") {
      status = take_once(parameters.download, parameter);
    } else if (parameter.name == "expires") {
      status = take_once(expires, parameter);
    } else {
      parameters.transform.push_back(service::Parameter{parameter.name, parameter.value});
    }
    if (!status) return status;
  }
  return {};
}

}  // namespace

Result<CallParameters> read_call_parameters(const RouteCall& call, bool has_image_url) {
  const auto query_text = admit_query(call);
  if (!query_text) return base::fail(query_text.error());
  CallParameters parameters;
  if (has_image_url) {
    auto hops = read_hops(call);
    if (!hops) return base::fail(hops.error());
    parameters.hops = *std::move(hops);
  }
  auto query = http::parse_query(*query_text);
  if (!query) return base::fail(query.error());
  parameters.all = std::move(*query);
  std::optional<std::string> expires;
  if (auto sorted = sort_parameters(parameters, has_image_url, expires); !sorted) return base::fail(sorted.error());
  // Without keys nobody has vouched for it: it may stand there, and says nothing.
  if (expires && call.context.protection->signer.has_keys()) {
    const auto left = time_left(*expires, std::chrono::system_clock::now());
    if (!left) return base::fail(left.error());
    parameters.time_left = *left;
    parameters.expires = std::move(expires);
  }
  if (has_image_url && !parameters.image_url) return image_url_missing(call.context, parameters);
  return parameters;
}

Result<service::TransformParameters> read_transform(const RouteCall& call, const CallParameters& parameters) {
  auto transform = parse_with_presets(call.context, parameters.transform);
  if (transform || !parameters.image_url || !has_plain_query(call.query)) return transform;
  base::Error error = transform.error();
  error.detail += "; if it belongs to image_url, percent-encode that (? as %3F, & as %26)";
  return base::fail(std::move(error));
}

}  // namespace optimux::server
