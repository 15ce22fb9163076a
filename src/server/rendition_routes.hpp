#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"

#include "server/request_context.hpp"
#include "server/router.hpp"
#include "server/server_state.hpp"
#include "service/transform_spec.hpp"
#include "source/source.hpp"

namespace optimux::server {

/// Adds `/resize`, `/optimux/assets/KEY`, `/optimux/static/KEY`, `/info` and `/optimux/info/KEY`. `state` must outlive
/// the router.
void add_rendition_routes(Router& router, ServerState& state);

/// What requests for one URL are answered with.
struct NamedRenditions {
  std::vector<service::TransformSpec> specs;       ///< More than one where `Accept` decides which.
  std::optional<source::SourceLocator> described;  ///< Set if it is the description of a source or its original.
};

/// Reads the URL of a rendition or of a description, as clients ask for it; scheme and authority may be missing.
/// `context` is that of whoever asks. Errors: kNotFound if no route answers with renditions there, and what the route
/// says of its parameters.
base::Result<NamedRenditions> renditions_named_by(std::string_view url, const RequestContext& context);

/// Whether a request for `path`, as it is sent, comes to one of these routes.
bool is_rendition_path(std::string_view path);

}  // namespace optimux::server
