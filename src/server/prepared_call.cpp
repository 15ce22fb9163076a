#include "server/prepared_call.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "http/link.hpp"
#include "http/target.hpp"
#include "server/output_rules.hpp"
#include "server/url_signature.hpp"

namespace optimux::server {
namespace {

using http::QueryParameter;

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
    const std::string target = std::string(call.path) + '?' + http::write_query(single);
    links.push_back(http::preload_link(signed_target(call.context, target)));
  }
  return links;
}

}  // namespace

base::Result<PreparedCall> prepare_call(const RouteCall& call, bool has_image_url, Locate locate) {
  auto parameters = read_call_parameters(call, has_image_url);
  if (!parameters) return base::fail(parameters.error());
  auto transform = read_transform(call, *parameters);
  if (!transform) return base::fail(transform.error());
  auto locator = locate(call, *parameters);
  if (!locator) return base::fail(locator.error());
  PreparedCall prepared;
  prepared.delivery = transform->delivery;
  prepared.is_original = transform->is_original;
  prepared.extras.varies_by_accept = transform->negotiate_format;
  prepared.extras.download = std::move(parameters->download);
  prepared.extras.time_left = parameters->time_left;
  prepared.expires = std::move(parameters->expires);
  prepared.hops = std::move(parameters->hops);
  const std::string accept = call.request.headers.joined("Accept");
  if (auto status = apply_rules(call.context.protection->outputs, accept, *transform); !status) {
    return base::fail(status.error());
  }
  if (prepared.delivery != service::Delivery::kJson) {
    prepared.extras.links = links_to_other_sizes(call, *parameters, transform->render.sizes);
  }
  prepared.spec = service::TransformSpec{std::move(*locator), std::move(transform->render)};
  return prepared;
}

}  // namespace optimux::server
