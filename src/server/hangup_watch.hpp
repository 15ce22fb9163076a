#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "server/event_loop.hpp"
#include "server/file_descriptor.hpp"

namespace optimux::server {

/// Sees that peers have closed their side of a connection, or broken it, although bytes that they had sent before are
/// still unread. Reading finds that end only behind those bytes, and Asio cannot wait for it alone, so this waits with
/// an epoll of its own (EPOLLRDHUP), which the loop watches. Loop's thread only.
class HangupWatch : public std::enable_shared_from_this<HangupWatch> {
 public:
  explicit HangupWatch(EventLoop& loop);
  HangupWatch(const HangupWatch&) = delete;
  HangupWatch& operator=(const HangupWatch&) = delete;
  ~HangupWatch();

  /// Calls `gone` once, later, when the peer of `socket` has gone. Nothing may be pending for it. Where the system has
  /// no room for one more watch it never calls: the end is seen a little later then, by reading or writing.
  void watch(int socket, std::function<void()> gone);
  /// Forgets the socket, if it is being watched; before it is closed.
  void forget(int socket);

 private:
  bool open();
  void arm();
  void deliver();

  boost::asio::posix::stream_descriptor epoll_;
  std::unordered_map<int, std::function<void()>> watched_;
};

}  // namespace optimux::server
