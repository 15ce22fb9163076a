#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/log.hpp"
#include "base/result.hpp"
#include "server/event_loop.hpp"
#include "server/listener.hpp"
#include "server/server.hpp"
#include "server/server_settings.hpp"

namespace optimux::server {

/// Where a server listens: the addresses of its settings, or the sockets that the service manager has opened for it.
/// One that is named `admin` takes the place of `admin`, one named `tls` that of `listen_tls` and `listen`, any other
/// that of `listen`. Loop's thread, or before the loop runs.
class ListenerSet {
 public:
  enum class Purpose { kHttp, kTls, kAdmin };
  using Admit = std::function<void(AcceptedSocket socket, Purpose purpose)>;

  /// Hands every connection to `admit`. `loop` and `log` must outlive the set.
  ListenerSet(EventLoop& loop, base::LogSink& log, Admit admit);
  ListenerSet(const ListenerSet&) = delete;
  ListenerSet& operator=(const ListenerSet&) = delete;

  /// Binds everything, or nothing when something fails. Called once. Errors: kInvalidParameter naming the address and
  /// what the system said.
  base::Status open(const ServerSettings& settings);

  /// What is bound, public addresses first.
  std::vector<BoundAddress> bound() const;
  bool has(Purpose purpose) const;
  bool has_public() const { return has(Purpose::kHttp) || has(Purpose::kTls); }

  /// Accepts what is queued at the public ones, and closes them.
  void close_public_after_queued();
  void close_all() { entries_.clear(); }

 private:
  struct Entry {
    Purpose purpose = Purpose::kHttp;
    std::unique_ptr<Listener> listener;
  };

  base::Status open_all(const ServerSettings& settings);
  base::Status open_passed_sockets();
  base::Status open_address(const ServerSettings& settings, Purpose purpose, const std::string& text);
  void add(ListeningSocket socket, Purpose purpose);

  EventLoop& loop_;
  base::LogSink& log_;
  const Admit admit_;
  std::vector<Entry> entries_;
};

}  // namespace optimux::server
