#include "server/server_core.hpp"

#include <csignal>
#include <optional>
#include <utility>

#include "server/admin_guard.hpp"
#include "server/admin_routes.hpp"
#include "server/connection_opening.hpp"
#include "server/docs_routes.hpp"
#include "server/health_routes.hpp"
#include "server/http2_connection.hpp"
#include "server/preload_route.hpp"
#include "server/purge_route.hpp"
#include "server/rate_gate.hpp"
#include "server/rendition_routes.hpp"
#include "server/settings_check.hpp"
#include "server/socket_transport.hpp"

namespace optimux::server {
namespace {

/// Connections beyond the limit that are still told so; more are closed without a word.
constexpr std::size_t kMostRefusedAtOnce = 64;
/// Connections of the admin listener; it is for people and one or two collectors.
constexpr std::size_t kMostAdminConnections = 64;
/// What serves connections that speak HTTP/2.
constexpr Http2Starter kHttp2 = &start_http2_connection;

std::optional<TlsContext::Settings> tls_of(const ServerSettings& settings) {
  if (settings.tls_certificate.empty()) return std::nullopt;
  return TlsContext::Settings{settings.tls_certificate, settings.tls_key,
                              settings.tls_min_version == "1.3" ? TlsVersion::k13 : TlsVersion::k12, settings.http2};
}

}  // namespace

ServerCore::ServerCore(EventLoop& loop, const ServerSettings& settings, Backend& backend, base::LogSink& log,
                       ServerHooks hooks)
    : state_(loop, settings, backend, log),
      hooks_(std::move(hooks)),
      router_(state_),
      admin_router_(state_),
      connections_([this] { end_if_drained(); }),
      admin_connections_([] {}),
      tls_(loop, log, state_.metrics),
      listeners_(loop, log, [this](AcceptedSocket socket, ListenerSet::Purpose purpose) {
        if (purpose == ListenerSet::Purpose::kAdmin) return admit_to_admin(std::move(socket));
        admit(std::move(socket), purpose == ListenerSet::Purpose::kTls);
      }) {
  router_.set_gate([this](const RequestContext& context) { return refuse_above_rate(state_, context); });
  add_rendition_routes(router_, state_);
  add_preload_route(router_, state_);
  add_health_routes(router_, state_);
  add_docs_routes(router_, state_);
  admin_router_.set_guard(admin_guard());
  add_health_routes(admin_router_, state_);
  add_admin_routes(admin_router_, state_, [this] { return connection_figures(); });
  add_purge_route(admin_router_, state_);
}

ServerCore::~ServerCore() {
  if (handles_signals_) state_.loop.on_signals({}, nullptr);
  close_everything();
}

base::Result<std::vector<BoundAddress>> ServerCore::start() {
  const ServerSettings& settings = *state_.settings;
  auto protection = Protection::make(settings);
  if (!protection) return base::fail(protection.error());
  state_.protection = *std::move(protection);
  if (auto status = tls_.configure(tls_of(settings)); !status) return base::fail(status.error());
  if (auto status = listeners_.open(settings); !status) return base::fail(status.error());
  if (listeners_.has(ListenerSet::Purpose::kTls) && tls_.context() == nullptr) {
    listeners_.close_all();
    return base::fail(base::ErrorCode::kInvalidParameter, "a socket named tls was passed: it needs tls_certificate");
  }
  // Somebody who gives a certificate may expect it at the addresses of `listen`.
  if (tls_.context() != nullptr && !listeners_.has(ListenerSet::Purpose::kTls)) {
    state_.log.warning("certificate has no effect", {{"remedy", "listen_tls, or a socket passed with the name tls"}});
  }
  return listeners_.bound();
}

void ServerCore::admit(AcceptedSocket socket, bool is_tls) {
  const std::size_t most = state_.settings->max_connections;
  if (state_.backend.is_short_of_memory() && connections_.close_oldest_idle()) ++counts_.closed_idle;
  const bool has_room = connections_.size() < most || connections_.close_oldest_idle();
  if (connections_.size() >= most && has_room) ++counts_.closed_idle;
  if (!has_room) {
    ++counts_.refused;
    if (connections_.size() >= most + kMostRefusedAtOnce) return;
  } else {
    ++counts_.accepted;
  }
  Arrival arrival = arrival_of(std::move(socket));
  if (!has_room) {
    arrival.refusal = base::Error{base::ErrorCode::kOverloaded, "too many connections are open; see Retry-After", {}};
  }
  const ConnectionHost host{state_, router_, connections_, state_.settings->http2 ? kHttp2 : nullptr};
  open_connection(host, std::move(arrival), is_tls ? tls_.context() : nullptr);
}

void ServerCore::admit_to_admin(AcceptedSocket socket) {
  const bool has_room = admin_connections_.size() < kMostAdminConnections || admin_connections_.close_oldest_idle();
  if (!has_room) return;
  start_http1_connection({state_, admin_router_, admin_connections_}, arrival_of(std::move(socket)));
}

Arrival ServerCore::arrival_of(AcceptedSocket socket) {
  Arrival arrival;
  arrival.transport = make_socket_transport(state_.loop, state_.hangups, std::move(socket.descriptor));
  arrival.client.address = std::move(socket.client);
  return arrival;
}

ConnectionFigures ServerCore::connection_figures() const {
  ConnectionFigures figures = counts_;
  figures.open = connections_.size();
  figures.idle = connections_.idle();
  return figures;
}

void ServerCore::handle_signals() {
  handles_signals_ = true;
  std::signal(SIGPIPE, SIG_IGN);
  state_.loop.on_signals({SIGTERM, SIGINT, SIGHUP}, [this](int signal) {
    if (signal == SIGHUP) {
      state_.log.info("reload");
      if (hooks_.reload) hooks_.reload();
    } else if (state_.is_draining()) {
      state_.log.warning("stopped hard by a second signal");
      end(false);
    } else {
      drain();
    }
  });
}

bool ServerCore::run() {
  if (!is_over_) state_.loop.run();
  close_everything();
  return is_clean_;
}

void ServerCore::post_drain() {
  state_.loop.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) drain();
  });
}

void ServerCore::post_stop() {
  state_.loop.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) end(connections_.size() == connections_.idle());
  });
}

base::Status ServerCore::set_settings(const ServerSettings& settings) {
  if (auto status = check(settings); !status) return status;
  auto protection = Protection::make(settings);
  if (!protection) return base::fail(protection.error());
  if (auto status = tls_.configure(tls_of(settings)); !status) return status;
  state_.protection = *std::move(protection);
  state_.settings = std::make_shared<const ServerSettings>(settings);
  state_.limiter.set_limits({settings.rate_limit, settings.rate_burst});
  return {};
}

void ServerCore::drain() {
  if (state_.is_draining() || is_over_) return;
  state_.draining_since = std::chrono::steady_clock::now();
  state_.log.info("draining", {{"connections", connections_.size()}});
  source::Reactor& reactor = state_.loop.reactor();
  timers_.push_back(reactor.start_timer(state_.settings->drain_timeout, [this] {
    state_.log.warning("drain timeout", {{"connections", connections_.size()}});
    end(connections_.size() == connections_.idle());
  }));
  timers_.push_back(reactor.start_timer(state_.settings->drain_delay, [this] { close_public_listeners(); }));
  connections_.drain_all();
}

void ServerCore::close_public_listeners() {
  listeners_.close_public_after_queued();
  end_if_drained();
}

void ServerCore::end_if_drained() {
  if (state_.is_draining() && !listeners_.has_public() && connections_.size() == 0) end(true);
}

void ServerCore::end(bool is_clean) {
  if (std::exchange(is_over_, true)) return;
  is_clean_ = is_clean;
  state_.log.info("stopped", {{"clean", is_clean}});
  state_.loop.stop();
}

/// The coroutines of the connections end in the loop, so it is run until they have.
void ServerCore::close_everything() {
  is_over_ = true;
  for (const auto timer : timers_) state_.loop.reactor().cancel_timer(timer);
  timers_.clear();
  listeners_.close_all();
  connections_.abort_all();
  admin_connections_.abort_all();
  while (connections_.size() + admin_connections_.size() > 0) state_.loop.run_ready();
}

}  // namespace optimux::server
