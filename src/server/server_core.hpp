#pragma once

#include <memory>
#include <vector>

#include "server/backend.hpp"
#include "server/connection_registry.hpp"
#include "server/http1_connection.hpp"
#include "server/listener_set.hpp"
#include "server/router.hpp"
#include "server/server.hpp"
#include "server/server_state.hpp"
#include "server/tls_keeper.hpp"

namespace optimux::server {

/// What `Server` hides: the listeners, the connections, and the way from taking requests over draining to the end.
class ServerCore {
 public:
  ServerCore(EventLoop& loop, const ServerSettings& settings, Backend& backend, base::LogSink& log, ServerHooks hooks);
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;
  ~ServerCore();

  /// Keeps a backend that was made for this server alone.
  void own(std::unique_ptr<Backend> backend) { own_backend_ = std::move(backend); }

  // As in Server.
  base::Result<std::vector<BoundAddress>> start();
  void handle_signals();
  bool run();
  void post_drain();
  void post_stop();
  base::Status set_settings(const ServerSettings& settings);

 private:
  void admit(AcceptedSocket socket, bool is_tls);
  void admit_to_admin(AcceptedSocket socket);
  Arrival arrival_of(AcceptedSocket socket);
  ConnectionFigures connection_figures() const;
  void drain();
  void close_public_listeners();
  void end_if_drained();
  void end(bool is_clean);
  void close_everything();

  std::unique_ptr<Backend> own_backend_;
  ServerState state_;
  const ServerHooks hooks_;
  Router router_;
  Router admin_router_;
  ConnectionRegistry connections_;
  ConnectionRegistry admin_connections_;
  TlsKeeper tls_;
  ListenerSet listeners_;
  ConnectionFigures counts_;
  bool handles_signals_ = false;
  bool is_over_ = false;
  bool is_clean_ = true;
  std::vector<source::Reactor::TimerId> timers_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< For tasks posted from other threads.
};

}  // namespace optimux::server
