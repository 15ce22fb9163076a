#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "server/backend.hpp"
#include "server/event_loop.hpp"
#include "server/hangup_watch.hpp"
#include "server/known_calls.hpp"
#include "server/metrics.hpp"
#include "server/protection.hpp"
#include "server/rate_limiter.hpp"
#include "server/reader_keeper.hpp"
#include "server/server_settings.hpp"
#include "source/body_budget.hpp"

namespace optimux::server {

/// What all routes and connections of one server share. Lives as long as the server; used in the loop's thread only.
struct ServerState {
  ServerState(EventLoop& event_loop, const ServerSettings& initial, Backend& with_backend, base::LogSink& log_sink)
      : loop(event_loop),
        backend(with_backend),
        log(log_sink),
        settings(std::make_shared<const ServerSettings>(initial)),
        limiter({initial.rate_limit, initial.rate_burst}),
        keeper(event_loop),
        hangups(std::make_shared<HangupWatch>(event_loop)) {}

  bool is_draining() const { return draining_since.has_value(); }

  /// Has lines that wait written once all that is ready now has had its turn: many requests are one write then.
  void flush_log_soon() {
    if (std::exchange(*log_is_due, true)) return;
    loop.post([due = log_is_due, &to = log] {
      *due = false;
      to.flush();
    });
  }

  EventLoop& loop;
  Backend& backend;
  base::LogSink& log;
  std::shared_ptr<const ServerSettings> settings;  ///< Replaced as a whole on reload.
  std::shared_ptr<const Protection> protection = std::make_shared<const Protection>();  ///< As the settings.
  std::optional<std::chrono::steady_clock::time_point> draining_since;     ///< Unset: the server takes requests.
  const std::shared_ptr<bool> log_is_due = std::make_shared<bool>(false);  ///< Shared with the loop.
  Metrics metrics;
  KnownCalls known_calls;
  RateLimiter limiter;  ///< Of all clients; its limits are those of the settings.
  ReaderKeeper keeper;
  const std::shared_ptr<HangupWatch> hangups;
  /// Memory of requests that are being read or wait for their turn; `max_request_bytes_under_way` is its limit.
  const std::shared_ptr<source::BodyBudget> requests = std::make_shared<source::BodyBudget>();
};

}  // namespace optimux::server
