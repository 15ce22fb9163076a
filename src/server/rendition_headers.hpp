#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/shared_body.hpp"
#include "http/headers.hpp"
#include "server/answer.hpp"
#include "server/request_context.hpp"
#include "service/rendition.hpp"

namespace optimux::server {

/// What a route adds to the fields of a rendition.
struct RenditionExtras {
  bool varies_by_accept = false;                  ///< The format was negotiated.
  std::vector<std::string> links;                 ///< Values of `Link`.
  std::optional<std::string> download;            ///< File name for `Content-Disposition`.
  std::optional<std::chrono::seconds> time_left;  ///< Until the URL expires: no cache keeps the answer for longer.
};

/// The fields that stand on both 200 and 304: ETag, Last-Modified, Cache-Control, Vary. They are the same whether the
/// answer is the first one or comes from the cache.
http::Headers validator_fields(const service::RenditionFacts& facts, const RequestContext& context,
                               const RenditionExtras& extras);

/// Adds the fields that only a 200 has: Content-Type, Link, Content-Disposition.
void add_content_fields(http::Headers& headers, std::string_view content_type, const RenditionExtras& extras);

/// Adds what tells how this very answer came to be: Age for hits, Server-Timing.
void add_timing_fields(http::Headers& headers, const service::Rendition& rendition, service::CacheOutcome outcome,
                       const RequestContext& context);

}  // namespace optimux::server
