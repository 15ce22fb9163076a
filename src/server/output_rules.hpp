#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "service/parameters.hpp"

namespace optimux::server {

/// What of the renditions may be asked for, beside the limits of the media layer.
struct OutputRules {
  std::size_t max_sizes = service::kMaxSizes;  ///< Of one request.
  std::vector<media::Format> formats;          ///< The first one is that of requests that say none; empty: all.
};

/// The rules of settings. Errors: kInvalidParameter that names `allowed_formats` and what of it is no format.
base::Result<OutputRules> make_output_rules(std::size_t max_sizes, const std::vector<std::string>& allowed_formats);

/// Holds what was asked for to the rules: settles the format where none was given or it is to be negotiated with
/// `accept`, the value of the request's `Accept`. Errors: kInvalidParameter that names parameter and rule;
/// kNotAcceptable as `negotiate_format`.
base::Status apply_rules(const OutputRules& rules, std::string_view accept, service::TransformParameters& wanted);

}  // namespace optimux::server
