#include "server/request_log.hpp"

#include <string>
#include <vector>

#include "server/logged_target.hpp"

namespace optimux::server {
namespace {

/// No method that means anything is as long.
constexpr std::size_t kMostMethodBytes = 32;
/// A cause names a key or an address, and the system's reason behind it.
constexpr std::size_t kMostCauseBytes = 512;
/// Of a line.
constexpr std::size_t kMostFields = 20;

/// What is too long without its middle: on HTTP/2 a byte can name a field of 4 KiB, and a log that grows so much faster
/// than the traffic fills the disk.
std::string shorten(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, most / 2)) + "…" + std::string(text.substr(text.size() - most / 2));
}

/// Asked every few seconds by machines that want no answer but the usual one.
bool is_probe(std::string_view route) {
  return route == "health" || route == "ready" || route == "metrics";
}

base::LogLevel level_of(const RequestRecord& record) {
  if (record.status == 500) return base::LogLevel::kError;
  if (record.status < 300 && is_probe(record.route)) return base::LogLevel::kDebug;
  return record.status > 500 && record.status != 503 ? base::LogLevel::kWarning : base::LogLevel::kInfo;
}

/// What did not happen, or has not ended, has no time.
void add_time(std::vector<base::LogField>& fields, std::string_view name, std::chrono::microseconds time) {
  if (time.count() > 0) fields.emplace_back(name, time);
}

void add_rendition_fields(std::vector<base::LogField>& fields, const AnswerReport& report) {
  if (!report.cache) return;
  fields.emplace_back("cache", name_of(*report.cache));
  if (!has_timings(*report.cache)) return;
  add_time(fields, "fetch_ms", report.timings.fetch);
  add_time(fields, "queue_ms", report.timings.queue);
  add_time(fields, "decode_ms", report.timings.decode);
  add_time(fields, "encode_ms", report.timings.encode);
}

}  // namespace

std::string_view name_of(service::CacheOutcome outcome) {
  switch (outcome) {
    case service::CacheOutcome::kHit: return "hit";
    case service::CacheOutcome::kDisk: return "disk";
    case service::CacheOutcome::kStore: return "store";
    case service::CacheOutcome::kRevalidated: return "revalidated";
    case service::CacheOutcome::kStale: return "stale";
    case service::CacheOutcome::kJoined: return "joined";
    case service::CacheOutcome::kMiss: return "miss";
  }
  return "unknown";
}

bool write_request_log(base::LogSink& log, const RequestRecord& record) {
  const base::LogLevel level = level_of(record);
  if (level < log.level()) return false;
  const std::string method = shorten(record.request->method, kMostMethodBytes);
  const std::string target = logged_target(record.request->target, record.context->settings->max_logged_target_bytes);
  const std::string cause = record.report.error ? shorten(record.report.error->cause, kMostCauseBytes) : std::string();
  std::vector<base::LogField> fields;
  fields.reserve(kMostFields);
  fields.insert(fields.end(), {{"id", record.context->id},
                               {"method", method},
                               {"target", target},
                               {"status", record.status},
                               {"bytes", record.body_bytes},
                               {"route", record.route},
                               {"total_ms", record.total},
                               {"client", record.context->client.address},
                               {"protocol", record.context->client.protocol}});
  if (record.context->stream != 0) fields.emplace_back("stream", record.context->stream);
  if (!record.context->client.tls.empty()) fields.emplace_back("tls", record.context->client.tls);
  add_rendition_fields(fields, record.report);
  if (!record.is_whole) fields.emplace_back("whole", false);
  if (record.report.error) {
    fields.emplace_back("error", base::name_of(record.report.error->code));
    if (!record.report.error->detail.empty()) fields.emplace_back("detail", record.report.error->detail);
    if (!cause.empty()) fields.emplace_back("cause", cause);
  }
  log.write_soon(level, "request", fields);
  return true;
}

}  // namespace optimux::server
