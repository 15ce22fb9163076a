#include "server/format_negotiation.hpp"

#include <algorithm>
#include <array>

#include "http/accept.hpp"

namespace optimux::server {
namespace {

using media::Format;

/// What the default of a source can turn out to be.
constexpr std::array kCommonFormats = {Format::kJpeg, Format::kPng, Format::kGif};

/// The first of those with the highest quality; nothing if that is 0.
template <class Quality>
std::optional<Format> best_of(const std::vector<Format>& formats, const Quality& quality_of) {
  std::optional<Format> best;
  int best_quality = 0;
  for (const Format format : formats) {
    const int quality = quality_of(format);
    if (quality <= best_quality) continue;
    best = format;
    best_quality = quality;
  }
  return best;
}

}  // namespace

base::Result<std::optional<Format>> negotiate_format(std::string_view accept) {
  const http::Accept accepted(accept);
  const auto quality = [&](Format format) { return accepted.quality(media::content_type_of(format)); };
  std::optional<Format> best;
  int best_quality = 0;
  const auto consider = [&](std::optional<Format> format, int wanted) {
    if (wanted <= best_quality) return;
    best = format;
    best_quality = wanted;
  };
  for (const Format format : {Format::kWebp, Format::kAvif}) {
    consider(format, accepted.named_quality(media::content_type_of(format)));
  }
  int worst_common = quality(kCommonFormats[0]);
  for (const Format format : kCommonFormats) worst_common = std::min(worst_common, quality(format));
  consider(std::nullopt, worst_common);
  for (const Format format : kCommonFormats) consider(format, quality(format));
  if (best_quality == 0) {
    return base::fail(base::ErrorCode::kNotAcceptable,
                      "Accept allows none of image/webp, image/avif, image/jpeg, image/png and image/gif");
  }
  return best;
}

base::Result<Format> negotiate_format_among(std::string_view accept, const std::vector<Format>& formats) {
  const http::Accept accepted(accept);
  const auto by_wildcards = [&](Format format) { return accepted.quality(media::content_type_of(format)); };
  const auto as_named = [&](Format format) {
    const bool has_to_be_named = format == Format::kWebp || format == Format::kAvif;
    return has_to_be_named ? accepted.named_quality(media::content_type_of(format)) : by_wildcards(format);
  };
  if (const auto best = best_of(formats, as_named)) return *best;
  // Nothing that everybody shows is allowed here: then a wildcard is a yes.
  if (const auto best = best_of(formats, by_wildcards)) return *best;
  return base::fail(base::ErrorCode::kNotAcceptable, "Accept allows none of the formats of this server");
}

}  // namespace optimux::server
