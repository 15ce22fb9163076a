#include "server/socket_transport.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "server/event_loop_inner.hpp"
#include "server/tcp_room.hpp"

namespace optimux::server {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;

/// Beyond this many pieces a write is cut; the caller comes back with the rest anyway.
constexpr std::size_t kMostPieces = 64;

Transport::Outcome outcome_of(ssize_t moved) {
  if (moved > 0) return {Transport::Result::kDone, static_cast<std::size_t>(moved)};
  const bool would_block = moved < 0 && errno == EAGAIN;
  return {would_block ? Transport::Result::kWouldBlock : Transport::Result::kClosed, 0};
}

class SocketTransport final : public Transport {
 public:
  SocketTransport(EventLoop& loop, std::shared_ptr<HangupWatch> hangups, FileDescriptor socket)
      : descriptor_(loop.inner().context, socket.release()), hangups_(std::move(hangups)) {}
  ~SocketTransport() override { SocketTransport::close(); }

  Outcome read(std::span<char> buffer) override {
    ssize_t moved = 0;
    do {
      moved = ::recv(descriptor_.native_handle(), buffer.data(), buffer.size(), 0);
    } while (moved < 0 && errno == EINTR);
    return outcome_of(moved);
  }

  Outcome write(Pieces pieces) override {
    std::array<iovec, kMostPieces> vectors{};
    const std::size_t count = std::min(pieces.size(), kMostPieces);
    for (std::size_t i = 0; i < count; ++i) {
      // The system's structure has no const; writing does not change the bytes.
      vectors[i] = iovec{const_cast<std::byte*>(pieces[i].data()), pieces[i].size()};  // NOLINT
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    ssize_t moved = 0;
    do {
      moved = ::sendmsg(descriptor_.native_handle(), &message, MSG_NOSIGNAL);
    } while (moved < 0 && errno == EINTR);
    return outcome_of(moved);
  }

  std::size_t room() const override {
    // Asio's getter is not const.
    return tcp_room(const_cast<Descriptor&>(descriptor_).native_handle()).value_or(Transport::room());  // NOLINT
  }

  void set_unsent_limit(std::size_t bytes) override { set_tcp_unsent_limit(descriptor_.native_handle(), bytes); }

  void when_readable(std::function<void()> ready) override { wait(Descriptor::wait_read, std::move(ready)); }
  void when_writable(std::function<void()> ready) override { wait(Descriptor::wait_write, std::move(ready)); }

  void when_gone(std::function<void()> gone) override { hangups_->watch(descriptor_.native_handle(), std::move(gone)); }

  void finish_writing() override { ::shutdown(descriptor_.native_handle(), SHUT_WR); }

  void close() override {
    if (descriptor_.is_open()) hangups_->forget(descriptor_.native_handle());
    boost::system::error_code ignored;
    descriptor_.close(ignored);
  }

 private:
  void wait(Descriptor::wait_type direction, std::function<void()> ready) {
    descriptor_.async_wait(direction, [ready = std::move(ready)](boost::system::error_code error) {
      if (!error) ready();
    });
  }

  Descriptor descriptor_;
  const std::shared_ptr<HangupWatch> hangups_;
};

}  // namespace

std::unique_ptr<Transport> make_socket_transport(EventLoop& loop, std::shared_ptr<HangupWatch> hangups,
                                                 FileDescriptor socket) {
  return std::make_unique<SocketTransport>(loop, std::move(hangups), std::move(socket));
}

}  // namespace optimux::server
