#include "server/socket_transport.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "server/event_loop.hpp"
#include "server/hangup_watch.hpp"

namespace optimux::server {
namespace {

/// A transport over one end of a pair of sockets; the test has the other.
class SocketTransportTest : public testing::Test {
 protected:
  SocketTransportTest() { connect(); }

  void connect() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    peer_ = FileDescriptor(ends[0]);
    transport_ = make_socket_transport(loop_, std::make_shared<HangupWatch>(loop_), FileDescriptor(ends[1]));
  }

  void say(const std::string& text) {
    EXPECT_EQ(::write(peer_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void watch(int& calls) {
    transport_->when_readable([&calls] { ++calls; });
  }
  /// All that can be read now; `#` at the end of the connection.
  std::string read_all(std::size_t at_once = 700) {
    std::string text;
    std::string buffer(at_once, 0);
    while (true) {
      const auto outcome = transport_->read(buffer);
      if (outcome.result == Transport::Result::kClosed) return text + '#';
      if (outcome.result == Transport::Result::kWouldBlock) return text;
      text += buffer.substr(0, outcome.bytes);
    }
  }

  EventLoop loop_;
  FileDescriptor peer_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(SocketTransportTest, ReadsWithAndWithoutAWatch) {
  EXPECT_EQ(read_all(), "");
  say("a");
  EXPECT_EQ(read_all(), "a");
  int calls = 0;
  for (const std::string text : {"b", "c"}) {
    watch(calls);
    loop_.run_ready();
    EXPECT_EQ(read_all(), "");
    say(text);
    loop_.run_ready();
    EXPECT_EQ(read_all(), text);
    EXPECT_EQ(read_all(), "");
  }
  EXPECT_EQ(calls, 2);
}

TEST_F(SocketTransportTest, WhatIsThereBeforeTheWatchIsSeen) {
  int calls = 0;
  say("a");
  watch(calls);
  loop_.run_ready();
  EXPECT_EQ(calls, 1);
  say("b");  // After the watch had taken all there was: it waits for the next.
  EXPECT_EQ(read_all(), "a");
  watch(calls);
  loop_.run_ready();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(read_all(), "b");
}

TEST_F(SocketTransportTest, MoreThanAWatchTakesComesInOrder) {
  std::string text;
  for (int i = 0; text.size() < 50'000; ++i) text += std::to_string(i);
  for (const std::size_t at_once : {1u, 1'000u, 16'384u}) {
    for (const std::size_t size : {1'023u, 1'024u, 1'025u, 2'048u, 50'000u}) {
      int calls = 0;
      watch(calls);
      say(text.substr(0, size));
      loop_.run_ready();
      EXPECT_EQ(calls, 1);
      EXPECT_EQ(read_all(at_once), text.substr(0, size)) << at_once;
    }
  }
}

TEST_F(SocketTransportTest, TheEndComesBehindTheRest) {
  int calls = 0;
  watch(calls);
  say(std::string(2'000, 'x'));
  peer_ = {};
  loop_.run_ready();
  EXPECT_EQ(read_all(), std::string(2'000, 'x') + '#');
  EXPECT_EQ(read_all(), "#");
}

TEST_F(SocketTransportTest, AWatchSeesTheEnd) {
  int calls = 0;
  watch(calls);
  peer_ = {};
  loop_.run_ready();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(read_all(), "#");
}

TEST_F(SocketTransportTest, TwoMayWaitForTheSame) {
  int first = 0;
  int second = 0;
  watch(first);
  watch(second);
  say("a");
  loop_.run_ready();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(read_all(), "a");
  watch(first);
  say("b");
  loop_.run_ready();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 1);
}

TEST_F(SocketTransportTest, NobodyIsCalledAfterTheEnd) {
  for (const bool is_destroyed : {false, true}) {
    connect();
    int calls = 0;
    watch(calls);
    watch(calls);
    say("a");
    is_destroyed ? transport_.reset() : transport_->close();
    loop_.run_ready();
    EXPECT_EQ(calls, 0);
  }
}

}  // namespace
}  // namespace optimux::server
