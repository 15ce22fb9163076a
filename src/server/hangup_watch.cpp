#include "server/hangup_watch.hpp"

#include <sys/epoll.h>

#include <array>
#include <utility>

#include "server/event_loop_inner.hpp"

namespace optimux::server {

HangupWatch::HangupWatch(EventLoop& loop) : epoll_(loop.inner().context) {}
HangupWatch::~HangupWatch() = default;

void HangupWatch::watch(int socket, std::function<void()> gone) {
  if (!epoll_.is_open() && !open()) return;
  epoll_event event{};
  event.events = EPOLLRDHUP | EPOLLONESHOT;  // Errors and full hang-ups are always reported.
  event.data.fd = socket;
  if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, socket, &event) == 0) {
    watched_.insert_or_assign(socket, std::move(gone));
  }
}

void HangupWatch::forget(int socket) {
  if (watched_.erase(socket) > 0) ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, socket, nullptr);
}

/// Only once it is needed: most servers never meet a client that sends so far ahead.
bool HangupWatch::open() {
  FileDescriptor descriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (!descriptor) return false;
  boost::system::error_code error;
  epoll_.assign(descriptor.get(), error);
  if (error) return false;
  descriptor.release();
  arm();
  return true;
}

void HangupWatch::arm() {
  epoll_.async_wait(decltype(epoll_)::wait_read, [weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->deliver();
    self->arm();
  });
}

void HangupWatch::deliver() {
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_wait(epoll_.native_handle(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const int socket = events.at(static_cast<std::size_t>(i)).data.fd;
    const auto found = watched_.find(socket);
    if (found == watched_.end()) continue;  // Forgotten by a callback before this one.
    const auto gone = std::move(found->second);
    forget(socket);
    gone();
  }
}

}  // namespace optimux::server
