#pragma once

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "server/event_loop.hpp"

namespace optimux::server {

class AsioReactor;

/// What the event loop is made of. Included only by sources that speak Asio, because Asio's headers are slow to
/// compile.
struct EventLoop::Inner {
  Inner();
  ~Inner();

  boost::asio::io_context context{1};  ///< One thread runs it, so handlers need no locks among themselves.
  boost::asio::signal_set signals{context};
  std::function<void(int)> on_signal;
  std::unique_ptr<AsioReactor> reactor;
};

}  // namespace optimux::server
