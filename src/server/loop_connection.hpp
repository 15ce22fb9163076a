#pragma once

#include <cstddef>
#include <memory>

#include <boost/asio/awaitable.hpp>

#include "server/alarmed_connection.hpp"
#include "server/event_loop.hpp"
#include "server/transport.hpp"

namespace optimux::server {

/// What the connections of both protocols do alike: one coroutine in the loop that owns a transport, is woken by an
/// alarm whenever something has happened, and at its end waits for the client to have read what was sent. Loop's thread
/// only; owned by a shared_ptr.
class LoopConnection : public AlarmedConnection, public std::enable_shared_from_this<LoopConnection> {
 protected:
  /// How much is read at once.
  static constexpr std::size_t kReadSize = 16'384;
  /// Bytes after which a connection that never has to wait lets the others have a turn.
  static constexpr std::size_t kBytesInOneTurn = 1'048'576;

  LoopConnection(EventLoop& loop, std::unique_ptr<Transport> transport);
  ~LoopConnection() = default;

  /// The connection will be woken when there is something to read, or room to write; not asked for twice.
  void watch_input();
  void watch_output();
  /// The same for the client closing its side, whether or not what it sent before has been read.
  void watch_departure();
  /// Reads and forgets what the client still sends, until it has seen the end of what was sent; not for long.
  boost::asio::awaitable<void> linger();
  /// Lets the other connections of the loop run.
  boost::asio::awaitable<void> yield();

  EventLoop& loop_;
  std::unique_ptr<Transport> transport_;
  bool input_is_closed_ = false;
  bool watches_input_ = false;
  bool watches_output_ = false;
  bool has_departed_ = false;  ///< The client has closed its side; what it had sent before may still be unread.

 private:
  Transport::Result discard_input();

  bool watches_departure_ = false;
};

}  // namespace optimux::server
