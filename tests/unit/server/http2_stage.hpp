#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/connection_registry.hpp"
#include "server/http2_connection.hpp"
#include "server/router.hpp"
#include "server/server_state.hpp"
#include "unit/http/http2_peer.hpp"
#include "unit/server/fake_backend.hpp"
#include "unit/server/recording_log.hpp"

namespace optimux::server {

/// What the network between an HTTP/2 connection and its client does.
struct Http2Wire {
  std::size_t bytes_a_write = 1u << 30;  ///< That the system takes at once.
  std::size_t room = 65'536;             ///< What the network is said to have room for.
  int writes = 0;
  int failing_write = 0;  ///< The client is gone from this write on; 0: never.
  bool is_stuck = false;  ///< Nothing more is taken, until it is.
  bool is_cut = false;    ///< The client has closed its side.
  bool is_mute = false;   ///< Nothing that the client says arrives, but `input`.
  bool is_closed = false;
  std::vector<std::size_t> sizes;  ///< Of all writes.
  std::string input;               ///< Comes before what the client says; no library has made it.
};

/// One connection in a loop of the test's own thread, over a fake backend, with a client that speaks only when it is
/// told to: nothing here runs beside the test.
class Http2Stage {
 public:
  explicit Http2Stage(const ServerSettings& settings = {}, const http::Http2Peer::Settings& client = {});
  ~Http2Stage();

  /// The connection begins; once.
  void start(std::optional<Http2Upgrade> upgrade = std::nullopt, std::optional<base::Error> refusal = std::nullopt);
  /// Lets both sides speak until nobody has anything to say.
  void settle();
  /// What the client says, and `input` before it, is on its way.
  void listen();
  /// As `settle`, again and again until `condition` holds; for what takes time. False if that takes 10 seconds.
  bool settle_until(const std::function<bool()>& condition);
  /// The network takes bytes again.
  void unstick();
  /// The server begins to drain.
  void drain();

  bool is_closed() const { return wire.is_closed; }
  http::Http2Peer::Response& response(std::int32_t stream) { return peer.response(stream); }
  std::string metrics();

  EventLoop loop;
  FakeBackend backend;
  RecordingLog log;
  ServerState state;
  Router router;
  ConnectionRegistry registry;
  Http2Wire wire;
  http::Http2Peer peer;

 private:
  class Network;
  std::function<void()> readable_;
  std::function<void()> writable_;
};

}  // namespace optimux::server
