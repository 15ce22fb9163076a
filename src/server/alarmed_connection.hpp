#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "server/alarm.hpp"
#include "server/connection_registry.hpp"

namespace optimux::server {

/// A connection whose coroutine waits for one alarm, which the registry rings too. Loop's thread only.
class AlarmedConnection : public TrackedConnection {
 public:
  explicit AlarmedConnection(boost::asio::io_context& context) : alarm_(context) {}

  void drain() final { alarm_.ring(); }
  void abort() final {
    is_aborted_ = true;
    alarm_.ring();
  }
  /// Something has happened that the coroutine has to look at.
  void ring() { alarm_.ring(); }

 protected:
  ~AlarmedConnection() = default;

  Alarm alarm_;
  bool is_aborted_ = false;  ///< To be closed now, whatever is under way.
};

/// What sets a flag of `connection` and rings, unless that has gone by then. To be called in the loop's thread.
template <class Connection>
std::function<void()> ring_with(std::weak_ptr<Connection> connection, bool Connection::*flag, bool value) {
  return [connection = std::move(connection), flag, value] {
    const auto alive = connection.lock();
    if (!alive) return;
    (*alive).*flag = value;
    alive->ring();
  };
}

}  // namespace optimux::server
