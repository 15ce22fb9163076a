#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "source/reactor.hpp"

namespace optimux::server {

/// The process's I/O loop (Boost.Asio behind the wall), one thread. Made first and destroyed last: sources need its
/// reactor before there is a service, and the service before there is a server.
///
///   EventLoop loop;
///   auto source = …(loop.reactor(), …);
///   service::RenditionService service(…, *source, …);
///   auto server = Server::make(loop, settings, service, pool, log, hooks);
class EventLoop {
 public:
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  /// The loop must not be running. Tasks that have not run are dropped.
  ~EventLoop();

  /// The loop as sources see it. Lives as long as the loop.
  source::Reactor& reactor();

  /// Runs `task` in the loop's thread, soon. Any thread.
  void post(std::function<void()> task);

  /// Calls `callback` in the loop's thread each time one of `signals` comes, instead of what the signal does by
  /// default. Loop's thread, or before it runs. Replaces the signals given before; an empty list gives them back to the
  /// system.
  void on_signals(const std::vector<int>& signals, std::function<void(int signal)> callback);

  /// Runs until `stop`. Blocks. Called by one thread at a time, which is the loop's thread meanwhile.
  void run();
  /// Makes `run` return soon. Any thread; may be called before `run`, which then returns at once.
  void stop();
  /// Runs what is ready now, and returns. For ends that cannot wait for `run`. The loop must not be running.
  void run_ready();

  /// Asio's side of the loop, for the sources of this layer (event_loop_inner.hpp).
  struct Inner;
  Inner& inner() { return *inner_; }

 private:
  std::unique_ptr<Inner> inner_;
};

}  // namespace optimux::server
