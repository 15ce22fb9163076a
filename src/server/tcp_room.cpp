#include "server/tcp_room.hpp"

#include <linux/tcp.h>  // Not netinet's, whose tcp_info ends before the field that is needed; hence a file of its own.
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

namespace optimux::server {

std::optional<std::size_t> tcp_room(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  const std::size_t free_segments = info.tcpi_snd_cwnd - std::min(info.tcpi_unacked, info.tcpi_snd_cwnd);
  const std::size_t sendable = free_segments * info.tcpi_snd_mss;
  return sendable - std::min<std::size_t>(sendable, info.tcpi_notsent_bytes);
}

void set_tcp_unsent_limit(int socket, std::size_t bytes) {
  const auto limit = static_cast<int>(bytes);
  ::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &limit, sizeof(limit));
}

}  // namespace optimux::server
