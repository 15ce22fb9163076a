#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/target.hpp"
#include "server/router.hpp"
#include "service/parameters.hpp"

namespace optimux::server {

/// The query of a call to one of the routes of renditions: what belongs to the route, and what makes the rendition.
struct CallParameters {
  std::vector<http::QueryParameter> all;  ///< As they were given, but for the signature.
  std::vector<service::Parameter> transform;
  std::optional<std::string> image_url;
  std::optional<std::string> download;
  std::optional<std::string> expires;             ///< As it was given, if the URL is signed.
  std::optional<std::chrono::seconds> time_left;  ///< Until the URL expires, if it does.
  std::string hops;  ///< Servers of this product that the call has come through, as in `source::hops_of`.
};

/// Reads the query of a call that may be answered: signed where it has to be, and not expired. `image_url` is a
/// parameter of the routes that have no key in their path; elsewhere it is unknown like any other. Errors:
/// kForbiddenSource, before anything else is looked at; kInvalidUrl, kInvalidParameter; kOriginFailed for a call that
/// has come through this server.
base::Result<CallParameters> read_call_parameters(const RouteCall& call, bool has_image_url);

/// Reads what makes the rendition. Errors: kInvalidParameter.
base::Result<service::TransformParameters> read_transform(const RouteCall& call, const CallParameters& parameters);

}  // namespace optimux::server
