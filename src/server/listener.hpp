#pragma once

#include <functional>
#include <string>

#include "base/log.hpp"
#include "server/event_loop.hpp"
#include "server/listening_socket.hpp"

namespace optimux::server {

/// A listening socket in the event loop. Used in the loop's thread only.
class Listener {
 public:
  using Admit = std::function<void(AcceptedSocket)>;

  /// Hands every connection to `admit`. `url` is how people reach the socket, for the log. `loop` and `log` must
  /// outlive the listener.
  Listener(EventLoop& loop, base::LogSink& log, ListeningSocket socket, std::string url, Admit admit);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  void start();
  /// Accepts all that is queued, so that nobody who has connected is turned away, and stops listening.
  void close_after_queued();

  const std::string& url() const { return url_; }

 private:
  void accept_some();
  bool accept_up_to(int count);
  void pause();

  EventLoop& loop_;
  base::LogSink& log_;
  ListeningSocket socket_;
  const std::string url_;
  Admit admit_;
  source::Reactor::TimerId pause_timer_ = 0;
  bool is_watched_ = false;
};

}  // namespace optimux::server
