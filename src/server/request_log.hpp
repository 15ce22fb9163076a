#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/log.hpp"
#include "http/message.hpp"
#include "server/answer.hpp"
#include "server/request_context.hpp"

namespace optimux::server {

/// The status of a request whose client left before its head was sent. In the log and the metrics only.
inline constexpr int kClientGone = 499;

/// A request that has ended.
struct RequestRecord {
  const RequestContext* context = nullptr;
  const http::Request* request = nullptr;
  std::string_view route;
  int status = 0;
  std::uint64_t body_bytes = 0;  ///< Sent, without framing.
  bool is_whole = true;          ///< Whether the client got all of it.
  std::chrono::microseconds total{0};
  AnswerReport report;
};

/// One line: id, method, target (as in `logged_target`), status, bytes, cache, times in ms as far as they were
/// measured, client, and the error with its cause if there is one. Level info; warning for 5xx but 503; error for 500;
/// debug for probes (health, readiness, metrics) that got what they asked for. It is written soon (`LogSink`); false if
/// the log takes no lines of that level.
bool write_request_log(base::LogSink& log, const RequestRecord& record);

/// `hit`, `disk`, `store`, `revalidated`, `stale`, `joined` or `miss`.
std::string_view name_of(service::CacheOutcome outcome);

}  // namespace optimux::server
