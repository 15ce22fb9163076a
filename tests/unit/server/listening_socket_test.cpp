#include "server/listening_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"

namespace optimux::server {
namespace {

ListenAddress address(std::string_view text) {
  return parse_listen_address("listen", text).value();
}

std::string socket_path() {
  return testing::TempDir() + "optimux-listening-" + std::to_string(getpid()) + ".sock";
}

TEST(ListeningSocket, AcceptsWhatIsQueuedAndNoMore) {
  auto socket = ListeningSocket::open(address("127.0.0.1:0"), {});
  ASSERT_TRUE(socket);
  EXPECT_NE(socket->address().port, 0);
  AcceptedSocket connection;
  EXPECT_EQ(socket->accept(connection), ListeningSocket::AcceptOutcome::kNone);
  const HttpClient client(url_of(socket->address()));
  EXPECT_EQ(socket->accept(connection), ListeningSocket::AcceptOutcome::kAccepted);
  EXPECT_EQ(connection.client, "127.0.0.1");
  EXPECT_EQ(socket->accept(connection), ListeningSocket::AcceptOutcome::kNone);
}

bool is_writable(int descriptor, int milliseconds) {
  pollfd events{descriptor, POLLOUT, 0};
  return poll(&events, 1, milliseconds) == 1;
}

/// Sends until nothing more is taken, or 64 MiB.
std::size_t fill_up(int descriptor) {
  const std::string block(64 << 10, 'x');
  std::size_t held = 0;
  while (held < (64u << 20)) {
    const ssize_t taken = send(descriptor, block.data(), block.size(), MSG_NOSIGNAL);
    if (taken < 0) break;
    held += static_cast<std::size_t>(taken);
  }
  return held;
}

TEST(ListeningSocket, TellsSoonWhetherASlowClientReads) {
  auto socket = ListeningSocket::open(address("127.0.0.1:0"), {});
  ASSERT_TRUE(socket);
  HttpClient client(url_of(socket->address()), 16 << 10);
  AcceptedSocket connection;
  ASSERT_EQ(socket->accept(connection), ListeningSocket::AcceptOutcome::kAccepted);
  const int served = connection.descriptor.get();
  const std::size_t held = fill_up(served);
  EXPECT_LT(held, 4u * kMostUnsentBytes);  // Beside what is unsent: one packet more, and the client's own buffer.
  ASSERT_FALSE(is_writable(served, 0));
  std::size_t read = 0;
  while (read < held && !is_writable(served, 0)) read += client.read_raw(4096).size();
  EXPECT_TRUE(is_writable(served, 30'000));
  EXPECT_LT(read, 2u * kMostUnsentBytes);
}

TEST(ListeningSocket, SpeaksIpv6) {
  auto socket = ListeningSocket::open(address("[::1]:0"), {});
  if (!socket) GTEST_SKIP() << "no IPv6 on this machine: " << socket.error().detail;
  const HttpClient client(url_of(socket->address()));
  AcceptedSocket connection;
  EXPECT_EQ(socket->accept(connection), ListeningSocket::AcceptOutcome::kAccepted);
  EXPECT_EQ(connection.client, "::1");
}

TEST(ListeningSocket, UnixSocketHasItsPermissionsAndGoesWithItsOwner) {
  const std::string path = socket_path();
  {
    const auto socket = ListeningSocket::open(address("unix:" + path), {.unix_mode = 0600});
    ASSERT_TRUE(socket) << socket.error().detail;
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
    EXPECT_FALSE(ListeningSocket::open(address("unix:" + path), {}));  // Somebody listens: not replaced.
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(ListeningSocket, StaleSocketFileIsReplaced) {
  const std::string path = socket_path();
  {
    auto socket = ListeningSocket::open(address("unix:" + path), {});
    ASSERT_TRUE(socket);
    link(path.c_str(), (path + ".kept").c_str());
  }
  ASSERT_EQ(rename((path + ".kept").c_str(), path.c_str()), 0);
  EXPECT_TRUE(ListeningSocket::open(address("unix:" + path), {}));
}

TEST(ListeningSocket, AdoptsOnlyListeningSockets) {
  FileDescriptor plain(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_FALSE(ListeningSocket::adopt(std::move(plain)));
  FileDescriptor listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(listen(listening.get(), 1), 0);
  auto adopted = ListeningSocket::adopt(std::move(listening));
  ASSERT_TRUE(adopted);
  AcceptedSocket connection;
  EXPECT_EQ(adopted->accept(connection), ListeningSocket::AcceptOutcome::kNone);  // It does not block.
}

}  // namespace
}  // namespace optimux::server
