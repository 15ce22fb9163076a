#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "server/call_parameters.hpp"
#include "server/rendition_headers.hpp"
#include "server/router.hpp"
#include "service/parameters.hpp"
#include "service/transform_spec.hpp"
#include "source/source.hpp"

namespace optimux::server {

/// A call for renditions that has been read and may be answered: what to make and how to answer with it.
struct PreparedCall {
  service::TransformSpec spec;
  service::Delivery delivery = service::Delivery::kStream;
  bool is_original = false;
  RenditionExtras extras;
  std::optional<std::string>
      expires;       ///< As it was given, of a URL that is signed: what `extras.time_left` is made of.
  std::string hops;  ///< As in `CallParameters`.
};

/// How a route finds the source of a call. Errors: as the route says.
using Locate = base::Result<source::SourceLocator> (*)(const RouteCall& call, const CallParameters& parameters);

/// Reads a call and checks it against all that protects the server. Nothing in the result depends on anything but the
/// target, the fields `Accept` (where the format is negotiated) and `Via`, the settings and the protection of the
/// call's context, and, for `extras.time_left`, the time. Errors: as `read_call_parameters`, `read_transform`, `locate`
/// and `apply_rules`.
base::Result<PreparedCall> prepare_call(const RouteCall& call, bool has_image_url, Locate locate);

}  // namespace optimux::server
