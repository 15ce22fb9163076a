#pragma once

#include <memory>

#include "server/event_loop.hpp"
#include "server/file_descriptor.hpp"
#include "server/hangup_watch.hpp"
#include "server/transport.hpp"

namespace optimux::server {

/// The transport over a connected, non-blocking stream socket. `loop` must outlive it.
std::unique_ptr<Transport> make_socket_transport(EventLoop& loop, std::shared_ptr<HangupWatch> hangups,
                                                 FileDescriptor socket);

}  // namespace optimux::server
