#include "server/loop_connection.hpp"

#include <array>
#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/event_loop_inner.hpp"

namespace optimux::server {
namespace {

namespace asio = boost::asio;

/// How long a connection that is closed from here waits for the client to have read the last of it: closing while bytes
/// are still coming in resets the connection and takes what was sent with it (RFC 9112, section 9.6).
constexpr std::chrono::seconds kLinger{1};

}  // namespace

LoopConnection::LoopConnection(EventLoop& loop, std::unique_ptr<Transport> transport)
    : AlarmedConnection(loop.inner().context), loop_(loop), transport_(std::move(transport)) {}

void LoopConnection::watch_input() {
  if (std::exchange(watches_input_, true)) return;
  transport_->when_readable(ring_with(weak_from_this(), &LoopConnection::watches_input_, false));
}

void LoopConnection::watch_output() {
  if (std::exchange(watches_output_, true)) return;
  transport_->when_writable(ring_with(weak_from_this(), &LoopConnection::watches_output_, false));
}

void LoopConnection::watch_departure() {
  if (std::exchange(watches_departure_, true)) return;
  transport_->when_gone(ring_with(weak_from_this(), &LoopConnection::has_departed_, true));
}

asio::awaitable<void> LoopConnection::linger() {
  if (input_is_closed_ || is_aborted_) co_return;
  transport_->finish_writing();
  const auto end = std::chrono::steady_clock::now() + kLinger;
  while (!is_aborted_ && std::chrono::steady_clock::now() < end) {
    if (!watches_input_) {
      const Transport::Result result = discard_input();
      if (result == Transport::Result::kClosed) co_return;
      if (result == Transport::Result::kDone) {
        co_await yield();
        continue;
      }
      watch_input();
    }
    co_await alarm_.wait_until(end);
  }
}

/// Not a part of the coroutine, which would keep the buffer for as long as it waits.
Transport::Result LoopConnection::discard_input() {
  std::array<char, kReadSize> input;
  return transport_->read(input).result;
}

asio::awaitable<void> LoopConnection::yield() {
  co_await asio::post(loop_.inner().context, asio::use_awaitable);
}

}  // namespace optimux::server
