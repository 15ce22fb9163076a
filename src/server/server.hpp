#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/result.hpp"
#include "server/event_loop.hpp"
#include "server/server_settings.hpp"
#include "service/job_pool.hpp"
#include "service/rendition_service.hpp"
#include "source/object_store.hpp"

namespace optimux::server {

class Backend;
class ServerCore;

/// What the program lends to the server. Called in the loop's thread; must not block for long.
struct ServerHooks {
  std::function<void()>
      reload;  ///< SIGHUP: read the configuration again. May call `Server::set_settings`. May be empty.
  const source::ObjectStore* objects = nullptr;  ///< Its figures stand in the metrics; null: there is none. Outlives
                                                 ///< the server.
};

/// An address that is really bound.
struct BoundAddress {
  bool is_admin = false;
  std::string url;  ///< `http://127.0.0.1:8811`, `https://[::1]:8443`, or `unix:/run/optimux.sock`.
};

/// The HTTP server: listeners, connections, routes, metrics, drain. Speaks to the service and to nobody else.
///
/// Life: made -> start -> run -> (SIGTERM, SIGINT or begin_drain) -> draining -> run returns. Destroyed before the
/// service, the pool and the loop.
class Server {
 public:
  /// Checks the settings. `loop`, `service`, `pool` and `log` must outlive the server. Errors: kInvalidParameter naming
  /// the field.
  static base::Result<std::unique_ptr<Server>> make(EventLoop& loop, const ServerSettings& settings,
                                                    service::RenditionService& service, service::JobPool& pool,
                                                    base::LogSink& log, ServerHooks hooks = {});
  /// As above over any backend; it must outlive the server.
  static base::Result<std::unique_ptr<Server>> make(EventLoop& loop, const ServerSettings& settings, Backend& backend,
                                                    base::LogSink& log, ServerHooks hooks = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// Closes all that is open. The loop must not be running.
  ~Server();

  /// Binds all addresses, or takes over the sockets passed by systemd (LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES), and
  /// begins to accept once the loop runs. Returns what was bound, public addresses first. Errors: kInvalidParameter
  /// naming the address and what the system said, or the option of a certificate or key that cannot be used. Called
  /// once, from the thread that will run the loop or before it runs.
  base::Result<std::vector<BoundAddress>> start();

  /// SIGTERM and SIGINT begin to drain, the second one stops hard; SIGHUP calls the reload hook; SIGPIPE is ignored.
  /// Until the server is destroyed. Call before `run`, from the same thread.
  void handle_signals();

  /// Runs the loop until the server has drained or was stopped. Blocks. Returns true when every request that had been
  /// accepted was answered, false when some were cut off by the drain timeout or by a hard stop.
  bool run();

  /// `/ready` turns 503, listeners close once what is queued in them is accepted, answers carry `Connection: close`,
  /// and `run` returns when the last one is out or after `drain_timeout`. Any thread; further calls do nothing.
  void begin_drain();

  /// Closes everything at once; `run` returns. Any thread.
  void stop();

  /// Takes over what can change while running: limits and times of new connections and requests, and all of "What it
  /// answers" and "Whom it serves". Addresses stay. The files of certificates and keys are read again. Called in the
  /// loop's thread (as from the reload hook) or before `run`. Errors: kInvalidParameter naming the field; nothing has
  /// changed then.
  base::Status set_settings(const ServerSettings& settings);

 private:
  explicit Server(std::unique_ptr<ServerCore> core);
  std::unique_ptr<ServerCore> core_;
};

}  // namespace optimux::server
