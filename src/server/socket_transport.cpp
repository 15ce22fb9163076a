#include "server/socket_transport.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "server/event_loop_inner.hpp"
#include "server/tcp_room.hpp"

namespace optimux::server {
namespace {

using Protocol = boost::asio::generic::stream_protocol;
using Socket = Protocol::socket;

/// Beyond this many pieces a write is cut; the caller comes back with the rest anyway.
constexpr std::size_t kMostPieces = 64;

/// The request of a browser for a picture has 400 to 900 bytes. More is read in a second step, into the caller's room:
/// there are thousands of idle connections, and each keeps this much.
constexpr std::size_t kEarlyRoom = 1'024;

int family_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  const int status = ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return status == 0 ? address.ss_family : AF_UNSPEC;
}

Transport::Outcome outcome_of(ssize_t moved) {
  if (moved > 0) return {Transport::Result::kDone, static_cast<std::size_t>(moved)};
  const bool would_block = moved < 0 && errno == EAGAIN;
  return {would_block ? Transport::Result::kWouldBlock : Transport::Result::kClosed, 0};
}

/// Asio's watches for what can be read reads itself, into room that is kept for it: one that only looks would have to
/// be renewed with a system call each time. What such a read brings is given out first by `read`, and one that leaves
/// some of its room has taken all there was, so that no other has to find nothing.
class SocketTransport final : public Transport {
 public:
  SocketTransport(EventLoop& loop, std::shared_ptr<HangupWatch> hangups, FileDescriptor socket)
      : socket_(loop.inner().context), hangups_(std::move(hangups)) {
    const int family = family_of(socket.get());
    socket_.assign(Protocol(family, 0), socket.release());
  }
  ~SocketTransport() override { SocketTransport::close(); }

  Outcome read(std::span<char> buffer) override {
    if (is_watching_) return {};
    if (!early_.empty()) return take_early(buffer);
    if (has_ended_) return {Result::kClosed, 0};
    if (is_drained_) return {};
    ssize_t moved = 0;
    do {
      moved = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), 0);
    } while (moved < 0 && errno == EINTR);
    return outcome_of(moved);
  }

  Outcome write(Pieces pieces) override {
    std::array<iovec, kMostPieces> vectors;  // Not initialised: only those that are filled are read.
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
      moved = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
    } while (moved < 0 && errno == EINTR);
    return outcome_of(moved);
  }

  std::size_t room() const override {
    // Asio's getter is not const.
    return tcp_room(const_cast<Socket&>(socket_).native_handle()).value_or(Transport::room());  // NOLINT
  }

  void set_unsent_limit(std::size_t bytes) override { set_tcp_unsent_limit(socket_.native_handle(), bytes); }

  void when_readable(std::function<void()> ready) override {
    if (std::exchange(is_watching_, true)) {
      // TLS may have to read in order to write, while somebody waits for what it gives to read.
      second_ = std::move(ready);
      return;
    }
    socket_.async_receive(boost::asio::buffer(room_),
                          [this, alive = std::weak_ptr<int>(alive_), ready = std::move(ready)](
                              boost::system::error_code error, std::size_t bytes) {
                            if (alive.expired()) return;
                            take_watched(bytes, static_cast<bool>(error));
                            const auto second = std::exchange(second_, nullptr);
                            ready();
                            if (second) second();
                          });
  }

  void when_writable(std::function<void()> ready) override {
    socket_.async_wait(Socket::wait_write, [ready = std::move(ready)](boost::system::error_code error) {
      if (!error) ready();
    });
  }

  void when_gone(std::function<void()> gone) override { hangups_->watch(socket_.native_handle(), std::move(gone)); }

  void finish_writing() override { ::shutdown(socket_.native_handle(), SHUT_WR); }

  void close() override {
    alive_.reset();
    if (socket_.is_open()) hangups_->forget(socket_.native_handle());
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

 private:
  void take_watched(std::size_t bytes, bool has_ended) {
    is_watching_ = false;
    has_ended_ = has_ended;
    early_ = std::string_view(room_.data(), bytes);
    is_drained_ = bytes < room_.size();
  }

  Outcome take_early(std::span<char> buffer) {
    const std::size_t count = early_.copy(buffer.data(), buffer.size());
    early_.remove_prefix(count);
    return {Result::kDone, count};
  }

  Socket socket_;
  const std::shared_ptr<HangupWatch> hangups_;
  std::array<char, kEarlyRoom> room_;  ///< Not initialised.
  std::string_view early_;             ///< Of `room_`: read, and not given out.
  std::function<void()> second_;       ///< Who waits for the same read beside the first, if anybody.
  bool is_watching_ = false;           ///< A read into `room_` is pending.
  bool is_drained_ = false;            ///< Nothing can be read until a watch says so.
  bool has_ended_ = false;             ///< The last watch met the end of the connection, or what broke it.
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< For what the loop has in hand.
};

}  // namespace

std::unique_ptr<Transport> make_socket_transport(EventLoop& loop, std::shared_ptr<HangupWatch> hangups,
                                                 FileDescriptor socket) {
  return std::make_unique<SocketTransport>(loop, std::move(hangups), std::move(socket));
}

}  // namespace optimux::server
