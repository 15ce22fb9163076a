#include "server/rendition_headers.hpp"

#include <array>
#include <cstdio>

#include "base/http_date.hpp"
#include "http/content_disposition.hpp"
#include "server/cache_control.hpp"
#include "server/common_headers.hpp"
#include "server/request_log.hpp"
#include "service/freshness.hpp"

namespace optimux::server {
namespace {

/// What an origin wants kept by nobody but the asker, if at all, is called public to nobody.
std::string cache_control(const service::RenditionFacts& facts, const ServerSettings& settings) {
  const bool is_passed_on = settings.use_origin_cache_control && !facts.cache_control.empty();
  if (is_passed_on || service::forbids_keeping(facts.cache_control)) return facts.cache_control;
  if (settings.cache_ttl.count() <= 0) return "no-cache";
  return "public, max-age=" + std::to_string(settings.cache_ttl.count());
}

/// One metric of Server-Timing, in milliseconds.
std::string metric(std::string_view name, std::chrono::microseconds time) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), ";dur=%.1f", static_cast<double>(time.count()) / 1000.0);
  return ", " + std::string(name) + digits.data();
}

}  // namespace

http::Headers validator_fields(const service::RenditionFacts& facts, const RequestContext& context,
                               const RenditionExtras& extras) {
  http::Headers headers;
  if (!facts.etag.empty()) headers.add("ETag", facts.etag);
  if (facts.last_modified) headers.add("Last-Modified", base::format_http_date(*facts.last_modified));
  const std::string control = cache_control(facts, *context.settings);
  headers.add("Cache-Control", extras.time_left ? limit_cache_time(control, *extras.time_left) : control);
  if (extras.varies_by_accept) add_vary(headers, "Accept");
  return headers;
}

void add_content_fields(http::Headers& headers, std::string_view content_type, const RenditionExtras& extras) {
  headers.add("Content-Type", content_type);
  for (const std::string& link : extras.links) headers.add("Link", link);
  if (extras.download) headers.add("Content-Disposition", http::attachment(*extras.download));
}

void add_timing_fields(http::Headers& headers, const service::Rendition& rendition, service::CacheOutcome outcome,
                       const RequestContext& context) {
  const auto validated = rendition.validated_at();
  if (!has_timings(outcome) && validated) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(context.received - *validated);
    headers.add("Age", std::to_string(std::max<long>(0, age.count())));
  }
  if (!context.settings->server_timing) return;
  std::string value = "cache;desc=" + std::string(name_of(outcome));
  if (has_timings(outcome)) {
    const service::RenditionTimings timings = rendition.timings();
    value += metric("fetch", timings.fetch) + metric("queue", timings.queue);
    // The rest is known once it is over, which for an answer that begins before its end it is not.
    if (timings.decode.count() > 0) value += metric("decode", timings.decode);
    if (timings.encode.count() > 0) value += metric("encode", timings.encode);
  }
  headers.add("Server-Timing", value);
}

}  // namespace optimux::server
