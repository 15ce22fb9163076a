#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "service/transform_spec.hpp"

namespace optimux::server {

/// The format for `format=auto` from a client's `Accept` fields (joined by commas). The one it wants most; among equals
/// WebP, then AVIF, then the default of the source (nothing is returned then), then JPEG, PNG, GIF. WebP stands before
/// AVIF because it keeps animations and takes a fraction of the CPU time. WebP and AVIF have to be named: clients that
/// cannot show them send wildcards too. Errors: kNotAcceptable.
base::Result<std::optional<media::Format>> negotiate_format(std::string_view accept);

/// The same among `formats`, of which there is at least one: WebP and AVIF if `accept` names them, the others also by
/// `*/*` and `image/*`; of equal ones that which stands first. If that leaves none, wildcards stand for WebP and AVIF
/// too. Errors: kNotAcceptable.
base::Result<media::Format> negotiate_format_among(std::string_view accept, const std::vector<media::Format>& formats);

}  // namespace optimux::server
