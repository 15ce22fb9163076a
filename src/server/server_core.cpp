#include "server/server_core.hpp"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "server/admin_guard.hpp"
#include "server/admin_routes.hpp"
#include "server/docs_routes.hpp"
#include "server/health_routes.hpp"
#include "server/preload_route.hpp"
#include "server/rendition_routes.hpp"
#include "server/socket_activation.hpp"
#include "server/socket_transport.hpp"

namespace optimux::server {
namespace {

/// Connections beyond the limit that are still told so; more are closed without a word.
constexpr std::size_t kMostRefusedAtOnce = 64;
/// Connections of the admin listener; it is for people and one or two collectors.
constexpr std::size_t kMostAdminConnections = 64;
constexpr std::string_view kAdminSocketName = "admin";

base::Result<std::vector<ListenAddress>> addresses_of(const ServerSettings& settings) {
  std::vector<ListenAddress> addresses;
  for (const std::string& text : settings.listen) {
    auto address = parse_listen_address("listen", text);
    if (!address) return base::fail(address.error());
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

base::Status check_positive(std::string_view field, long long value) {
  if (value > 0) return {};
  return base::fail(base::ErrorCode::kInvalidParameter, std::string(field) + ": must be more than 0");
}

/// What an address cannot be used for, said of the option that it came from.
tl::unexpected<base::Error> of_option(std::string_view field, base::Error error) {
  error.detail.insert(0, std::string(field) + ": ");
  return base::fail(std::move(error));
}

ListenOptions options_of(const ServerSettings& settings, bool is_admin) {
  return {settings.reuse_port && !is_admin, settings.listen_backlog, settings.unix_mode};
}

}  // namespace

base::Status check(const ServerSettings& settings) {
  const auto addresses = addresses_of(settings);
  if (!addresses) return base::fail(addresses.error());
  if (!settings.admin.empty()) {
    const auto admin = parse_listen_address("admin", settings.admin);
    if (!admin) return base::fail(admin.error());
    if (!admin->is_local() && !settings.admin_allow_remote) {
      return base::fail(base::ErrorCode::kInvalidParameter,
                        "admin: '" + settings.admin +
                            "' can be reached from other machines, and there is no authentication; "
                            "set admin_allow_remote if that is meant");
    }
  }
  const std::pair<std::string_view, long long> positive[] = {
      {"listen_backlog", settings.listen_backlog},
      {"max_connections", static_cast<long long>(settings.max_connections)},
      {"max_pipelined", static_cast<long long>(settings.max_pipelined)},
      {"max_uri_bytes", static_cast<long long>(settings.max_uri_bytes)},
      {"max_header_bytes", static_cast<long long>(settings.max_header_bytes)},
      {"max_header_fields", static_cast<long long>(settings.max_header_fields)},
      {"header_timeout", settings.header_timeout.count()},
      {"idle_timeout", settings.idle_timeout.count()},
      {"max_request_bytes_under_way", static_cast<long long>(settings.max_request_bytes_under_way)},
      {"write_stall_timeout", settings.write_stall_timeout.count()},
      {"request_deadline", settings.request_deadline.count()},
      {"http2_max_streams", settings.http2_max_streams},
      {"http2_preface_timeout", settings.http2_preface_timeout.count()},
      {"http2_settings_timeout", settings.http2_settings_timeout.count()},
  };
  for (const auto& [field, value] : positive) {
    if (auto status = check_positive(field, value); !status) return status;
  }
  if (settings.http2_max_streams > http::StreamScheduler::kMaxStreams) {
    return base::fail(base::ErrorCode::kInvalidParameter,
                      "http2_max_streams: must be at most " + std::to_string(http::StreamScheduler::kMaxStreams));
  }
  return {};
}

ServerCore::ServerCore(EventLoop& loop, const ServerSettings& settings, Backend& backend, base::LogSink& log,
                       ServerHooks hooks)
    : state_(loop, settings, backend, log),
      hooks_(std::move(hooks)),
      router_(state_),
      admin_router_(state_),
      connections_([this] { end_if_drained(); }),
      admin_connections_([] {}) {
  add_rendition_routes(router_, state_);
  add_preload_route(router_, state_);
  add_health_routes(router_, state_);
  add_docs_routes(router_, state_);
  admin_router_.set_guard(admin_guard());
  add_health_routes(admin_router_, state_);
  add_admin_routes(admin_router_, state_, [this] { return connection_figures(); });
}

ServerCore::~ServerCore() {
  if (handles_signals_) state_.loop.on_signals({}, nullptr);
  close_everything();
}

base::Result<std::vector<BoundAddress>> ServerCore::start() {
  if (auto status = open_listeners(*state_.settings); !status) {
    listeners_.clear();
    admin_listeners_.clear();
    return base::fail(status.error());
  }
  std::vector<BoundAddress> bound;
  for (const auto& listener : listeners_) bound.push_back({false, url_of(listener->address())});
  for (const auto& listener : admin_listeners_) bound.push_back({true, url_of(listener->address())});
  return bound;
}

base::Status ServerCore::open_listeners(const ServerSettings& settings) {
  bool has_public = false;
  bool has_admin = settings.admin.empty();
  if (auto status = open_passed_sockets(has_public, has_admin); !status) return status;
  if (!has_public) {
    const auto addresses = addresses_of(settings);
    if (!addresses) return base::fail(addresses.error());
    for (const ListenAddress& address : *addresses) {
      auto socket = ListeningSocket::open(address, options_of(settings, false));
      if (!socket) return of_option("listen", socket.error());
      listen(std::move(*socket), false);
    }
  }
  if (has_admin) return {};
  const auto address = parse_listen_address("admin", settings.admin);
  if (!address) return base::fail(address.error());
  auto socket = ListeningSocket::open(*address, options_of(settings, true));
  if (!socket) return of_option("admin", socket.error());
  listen(std::move(*socket), true);
  return {};
}

base::Status ServerCore::open_passed_sockets(bool& has_public, bool& has_admin) {
  const auto passed = passed_sockets(take_activation_variables(), getpid());
  if (!passed) return base::fail(passed.error());
  for (const PassedSocket& entry : *passed) {
    auto socket = ListeningSocket::adopt(FileDescriptor(entry.descriptor));
    if (!socket) return base::fail(socket.error());
    const bool is_admin = entry.name == kAdminSocketName;
    (is_admin ? has_admin : has_public) = true;
    listen(std::move(*socket), is_admin);
  }
  return {};
}

void ServerCore::listen(ListeningSocket socket, bool is_admin) {
  auto admit_one = [this, is_admin](AcceptedSocket accepted) {
    is_admin ? admit_to_admin(std::move(accepted)) : admit(std::move(accepted));
  };
  auto listener = std::make_unique<Listener>(state_.loop, state_.log, std::move(socket), std::move(admit_one));
  listener->start();
  (is_admin ? admin_listeners_ : listeners_).push_back(std::move(listener));
}

void ServerCore::admit(AcceptedSocket socket) {
  const std::size_t most = state_.settings->max_connections;
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
  start_http1_connection({state_, router_, connections_}, std::move(arrival));
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
  state_.settings = std::make_shared<const ServerSettings>(settings);
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
  for (const auto& listener : listeners_) listener->close_after_queued();
  listeners_.clear();
  end_if_drained();
}

void ServerCore::end_if_drained() {
  if (state_.is_draining() && listeners_.empty() && connections_.size() == 0) end(true);
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
  listeners_.clear();
  admin_listeners_.clear();
  connections_.abort_all();
  admin_connections_.abort_all();
  while (connections_.size() + admin_connections_.size() > 0) state_.loop.run_ready();
}

}  // namespace optimux::server
