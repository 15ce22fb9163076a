// What TLS makes of connections that are cut, closed or full of garbage.
#include <array>
#include <string>

#include "unit/server/tls_transport_fixture.hpp"

namespace optimux::server {
namespace {

TEST_F(TlsTransportTest, GarbageEndsTheConnectionAndNothingElse) {
  connect();
  wire_.to_server = std::string("\x16\x03\x01\x00\x05hello", 10);
  EXPECT_EQ(server_->handshake(), Handshake::kFailed);
  EXPECT_FALSE(server_->failure().empty());
  server_->close();

  wire_ = {};
  connect();
  ASSERT_TRUE(shake_hands());
  client_->send("text");
  wire_.to_server.back() = static_cast<char>(wire_.to_server.back() ^ 1);
  EXPECT_EQ(read(), "");
  EXPECT_EQ(last_read_, Result::kClosed);
  EXPECT_FALSE(write("more"));
  bool is_ready = false;
  server_->when_writable([&] { is_ready = true; });
  loop_.run_ready();
  EXPECT_TRUE(is_ready);  // Whoever waits learns of the end by trying.
}

TEST_F(TlsTransportTest, AHandshakeThatIsCutAnywhereFails) {
  connect();
  ASSERT_TRUE(shake_hands());
  const int operations = wire_.operations;
  ASSERT_GT(operations, 2);
  for (int failing = 1; failing <= operations; ++failing) {
    wire_ = {.failing_operation = failing};
    connect();
    const bool is_done = shake_hands();
    EXPECT_EQ(is_done, false) << failing;
    EXPECT_FALSE(server_->failure().empty()) << failing;
    server_->finish_writing();
    EXPECT_FALSE(client_->has_been_told_the_end());
    server_.reset();
    EXPECT_TRUE(wire_.is_closed);
  }
}

TEST_F(TlsTransportTest, AConversationThatIsCutAnywhereEnds) {
  for (int failing = 1;; ++failing) {
    ASSERT_LT(failing, 1'000);
    wire_ = {.bytes_a_read = 200, .bytes_a_write = 700, .blocks_between = true, .failing_operation = failing};
    connect();
    bool is_whole = shake_hands();
    if (is_whole) {
      client_->send("question");
      is_whole = read() == "question" && write(std::string(5'000, 'a'), 300);
    }
    const bool was_reached = wire_.operations >= failing;
    EXPECT_NE(is_whole, was_reached) << failing;
    EXPECT_LE(wire_.operations, failing + 2) << "goes on after the end";
    server_.reset();
    if (!was_reached) break;
  }
}

TEST_F(TlsTransportTest, OneReadGoesThroughNoMoreThanARecordWithoutContent) {
  connect({.min_version = TLS1_3_VERSION});
  ASSERT_TRUE(shake_hands());
  read();
  for (int i = 0; i < 3'000; ++i) {
    SSL_key_update(client_->native(), SSL_KEY_UPDATE_NOT_REQUESTED);
    client_->shake_hands();
  }
  const std::size_t before = wire_.to_server.size();
  ASSERT_GT(before, 60'000u);
  std::array<char, 100> buffer{};
  server_->read(buffer);
  EXPECT_GT(wire_.to_server.size(), before - 20'000);
}

TEST_F(TlsTransportTest, WhoKeepsChangingKeysIsGivenUp) {
  connect({.min_version = TLS1_3_VERSION});
  ASSERT_TRUE(shake_hands());
  for (int i = 0; i < 200 && last_read_ != Result::kClosed; ++i) {
    SSL_key_update(client_->native(), SSL_KEY_UPDATE_REQUESTED);
    client_->send("x");
    read();
  }
  EXPECT_EQ(last_read_, Result::kClosed);
  EXPECT_EQ(server_->failure(), "too many messages of TLS itself");
}

TEST_F(TlsTransportTest, NothingComesAfterTheClose) {
  connect();
  ASSERT_TRUE(shake_hands());
  client_->send("one record");
  std::array<char, 3> buffer{};
  ASSERT_EQ(server_->read(buffer).result, Result::kDone);
  bool is_called = false;
  server_->when_readable([&] { is_called = true; });
  server_->when_writable([&] { is_called = true; });
  server_->close();
  loop_.run_ready();
  EXPECT_FALSE(is_called);
}

}  // namespace
}  // namespace optimux::server
