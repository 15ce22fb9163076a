#include "server/tls_transport.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/record_sizer.hpp"
#include "unit/server/tls_transport_fixture.hpp"

namespace optimux::server {
namespace {

TEST_F(TlsTransportTest, BothVersionsCarryBytesBothWays) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    wire_ = {};
    connect({.max_version = version});
    ASSERT_TRUE(shake_hands());
    EXPECT_EQ(server_->version(), version == TLS1_3_VERSION ? TlsVersion::k13 : TlsVersion::k12);
    EXPECT_FALSE(server_->is_resumed());
    EXPECT_EQ(client_->name_of_server(), "server.example");
    client_->send("question");
    EXPECT_EQ(read(), "question");
    EXPECT_TRUE(write("answer"));
    EXPECT_EQ(client_->receive(), "answer");
    server_.reset();
  }
}

TEST_F(TlsTransportTest, OldVersionsAreRefused) {
  connect({.max_version = TLS1_1_VERSION});
  EXPECT_FALSE(shake_hands());
  EXPECT_EQ(server_->failure(), "unsupported protocol");
  min_version_ = TlsVersion::k13;
  wire_ = {};
  connect({.max_version = TLS1_2_VERSION});
  EXPECT_FALSE(shake_hands());
}

TEST_F(TlsTransportTest, ProtocolIsTheServersChoiceOfWhatTheClientOffers) {
  const auto chosen = [this](std::string_view offered, bool offers_http2) {
    wire_ = {};
    offers_http2_ = offers_http2;
    connect({.protocols = offered});
    if (!shake_hands()) return std::string("refused");
    EXPECT_EQ(client_->protocol(), server_->protocol());
    return std::string(server_->protocol());
  };
  EXPECT_EQ(chosen("\x08http/1.1\x02h2", true), "h2");
  EXPECT_EQ(chosen("\x02h2\x08http/1.1", false), "http/1.1");
  EXPECT_EQ(chosen("\x08http/1.1", true), "http/1.1");
  EXPECT_EQ(chosen("", true), "");
  EXPECT_EQ(chosen("\x02h2", false), "refused");
  EXPECT_EQ(chosen("\x03"
                   "dot",
                   true),
            "refused");
}

TEST_F(TlsTransportTest, SingleBytesThatHaveToWaitGiveTheSame) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    wire_ = {.bytes_a_read = 1, .bytes_a_write = 1, .blocks_between = true};
    connect({.max_version = version});
    ASSERT_TRUE(shake_hands());
    const std::string text(3'000, 'q');
    client_->send(text);
    EXPECT_EQ(read(), text);
    EXPECT_TRUE(write(text, 7));
    EXPECT_EQ(client_->receive(), text);
    server_.reset();
  }
}

TEST_F(TlsTransportTest, LargeBodiesInPiecesOfAnySize) {
  connect();
  ASSERT_TRUE(shake_hands());
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>('a' + i % 23);
  for (const std::size_t piece : {100u, 16'384u, 16'385u, 1u << 20}) {
    wire_.blocks_between = !wire_.blocks_between;
    wire_.bytes_a_write = wire_.blocks_between ? 5'000 : 1u << 30;
    EXPECT_TRUE(write(text, piece));
    EXPECT_EQ(client_->receive(), text) << piece;
  }
}

TEST_F(TlsTransportTest, ManyPiecesAreOneRecord) {
  connect();
  ASSERT_TRUE(shake_hands());
  server_->set_record_limit(RecordSizer::kLargest);
  wire_.writes = 0;
  EXPECT_TRUE(write(std::string(10'000, 'x'), 100));
  EXPECT_EQ(wire_.writes, 1);
  EXPECT_EQ(client_->receive().size(), 10'000u);
}

TEST_F(TlsTransportTest, RecordsAreAsLargeAsTheirLimit) {
  connect();
  ASSERT_TRUE(shake_hands());
  client_->receive();
  const std::string text(4'200, 'x');
  wire_.writes = 0;
  EXPECT_TRUE(write(text));  // By itself it begins with small ones.
  EXPECT_EQ(wire_.writes, 3);
  const std::size_t overhead = (wire_.to_client.size() - text.size()) / 3;
  EXPECT_EQ(overhead, 22U);
  EXPECT_EQ(client_->receive(), text);
  server_->set_record_limit(4'200);
  EXPECT_TRUE(write(text));
  EXPECT_EQ(wire_.writes, 4);
  server_->set_record_limit(0);
  EXPECT_TRUE(write(text));
  EXPECT_EQ(wire_.writes, 7);
}

TEST_F(TlsTransportTest, ARecordThatHasToWaitIsWrittenOnce) {
  connect();
  ASSERT_TRUE(shake_hands());
  client_->receive();
  wire_.bytes_a_write = 10;
  wire_.blocks_between = true;
  const std::string text = "all of this once";
  const std::string longer = text + ", and this behind it";
  const auto offer = [this](const std::string& bytes) {
    const std::array<std::span<const std::byte>, 1> piece = {std::as_bytes(std::span(bytes))};
    return server_->write(piece);
  };
  ASSERT_EQ(offer(text).result, Result::kWouldBlock);
  wire_.blocks_between = false;
  const Transport::Outcome outcome = offer(longer);  // From another place in memory, and with more behind it.
  EXPECT_EQ(outcome.result, Result::kDone);
  EXPECT_EQ(outcome.bytes, text.size());
  EXPECT_TRUE(write(longer.substr(text.size())));
  EXPECT_EQ(client_->receive(), longer);
}

TEST_F(TlsTransportTest, BytesThatAreInHandAreReadable) {
  connect();
  ASSERT_TRUE(shake_hands());
  client_->send("one record");
  std::array<char, 3> buffer{};
  EXPECT_EQ(server_->read(buffer).bytes, 3U);
  EXPECT_TRUE(wire_.to_server.empty());  // All of it was taken from the wire; nothing there will become readable.
  bool is_ready = false;
  server_->when_readable([&] { is_ready = true; });
  EXPECT_FALSE(is_ready);
  loop_.run_ready();
  EXPECT_TRUE(is_ready);
  EXPECT_EQ(read(3), " record");
}

TEST_F(TlsTransportTest, APartOfARecordIsNotReadable) {
  connect();
  ASSERT_TRUE(shake_hands());
  read();
  client_->send("one record");
  const std::string rest = wire_.to_server.substr(10);
  wire_.to_server.resize(10);
  EXPECT_EQ(read(), "");
  bool is_ready = false;
  server_->when_readable([&] { is_ready = true; });
  loop_.run_ready();
  EXPECT_FALSE(is_ready);
  wire_.to_server = rest;
  EXPECT_EQ(read(), "one record");
}

TEST_F(TlsTransportTest, ARequestRightBehindTheHandshakeIsNotForgotten) {
  connect();
  bool is_client_done = false;
  while (!is_client_done) {
    is_client_done = client_->shake_hands();
    if (is_client_done) client_->send("early");
    ASSERT_NE(server_->handshake(), Handshake::kFailed);
  }
  bool is_ready = false;
  server_->when_readable([&] { is_ready = true; });
  loop_.run_ready();
  EXPECT_TRUE(is_ready);
  EXPECT_EQ(read(), "early");
}

TEST_F(TlsTransportTest, BytesThatWereReadBeforeComeFirst) {
  Wire other;
  TlsPeer peer(other, {});
  peer.shake_hands();
  connect({}, other.to_server);
  EXPECT_EQ(server_->handshake(), Handshake::kWaits);
  EXPECT_FALSE(wire_.to_client.empty());  // The hello was there, and is answered.
}

TEST_F(TlsTransportTest, AnEndIsAnEndWithOrWithoutNotice) {
  for (const bool is_polite : {true, false}) {
    wire_ = {};
    connect();
    ASSERT_TRUE(shake_hands());
    client_->send("last words");
    if (is_polite) client_->finish();
    wire_.client_has_left = true;
    EXPECT_EQ(read(), "last words");
    EXPECT_EQ(last_read_, Result::kClosed);
    EXPECT_TRUE(write("answered all the same"));
    EXPECT_EQ(client_->receive(), "answered all the same");
    server_.reset();
  }
}

TEST_F(TlsTransportTest, OnlyWhoFinishesTellsTheEnd) {
  connect();
  ASSERT_TRUE(shake_hands());
  EXPECT_TRUE(write("cut"));
  server_->close();
  EXPECT_EQ(client_->receive(), "cut");
  EXPECT_FALSE(client_->has_been_told_the_end());
  EXPECT_TRUE(wire_.is_closed);
}

TEST_F(TlsTransportTest, FinishingTellsTheEndAsSoonAsThereIsRoom) {
  for (const bool has_to_wait : {false, true}) {
    wire_ = {};
    connect();
    ASSERT_TRUE(shake_hands());
    EXPECT_TRUE(write("whole"));
    wire_.blocks_between = has_to_wait;
    if (has_to_wait) {  // Takes the one turn that is free.
      const std::string text = "!";
      const std::array<std::span<const std::byte>, 1> piece = {std::as_bytes(std::span(text))};
      EXPECT_EQ(server_->write(piece).result, Result::kDone);
    }
    server_->finish_writing();
    EXPECT_EQ(wire_.is_finished, !has_to_wait);
    loop_.run_ready();
    EXPECT_TRUE(wire_.is_finished);
    client_->receive();
    EXPECT_TRUE(client_->has_been_told_the_end());
    server_.reset();
  }
}

TEST_F(TlsTransportTest, SessionsAreResumedByTheirTickets) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    wire_ = {};
    connect({.max_version = version});
    ASSERT_TRUE(shake_hands());
    EXPECT_TRUE(write("x"));
    client_->receive();  // Tickets of 1.3 come with the first bytes.
    const std::unique_ptr<SSL_SESSION, FreedBy<&SSL_SESSION_free>> session(SSL_get1_session(client_->native()));
    client_->finish();  // What ends otherwise is not resumed.
    wire_ = {};
    connect({.max_version = version, .session = session.get()});  // A context of its own, with the same keys.
    ASSERT_TRUE(shake_hands());
    EXPECT_TRUE(server_->is_resumed());
    tickets_ = std::make_shared<TicketKeys>();
    wire_ = {};
    connect({.max_version = version, .session = session.get()});
    ASSERT_TRUE(shake_hands());
    EXPECT_FALSE(server_->is_resumed());
  }
}

TEST_F(TlsTransportTest, ATicketOfTheKeyBeforeIsReplaced) {
  using Session = std::unique_ptr<SSL_SESSION, FreedBy<&SSL_SESSION_free>>;
  TicketKeys::Clock::time_point now{std::chrono::hours(1'000)};
  const auto begin = [this](int version, SSL_SESSION* session) {
    wire_ = {};
    connect({.max_version = version, .session = session});
    EXPECT_TRUE(shake_hands());
  };
  const auto take_session = [this] {
    EXPECT_TRUE(write("x"));
    client_->receive();
    Session session(SSL_get1_session(client_->native()));
    client_->finish();
    return session;
  };
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    tickets_ = std::make_shared<TicketKeys>([&now] { return now; });
    begin(version, nullptr);
    const Session first = take_session();
    now += TicketKeys::kPeriod;
    begin(version, first.get());
    EXPECT_TRUE(server_->is_resumed());
    const Session second = take_session();
    now += TicketKeys::kPeriod;
    begin(version, second.get());
    EXPECT_TRUE(server_->is_resumed()) << "not sealed with the new key";
    begin(version, first.get());
    EXPECT_FALSE(server_->is_resumed());
  }
}

TEST_F(TlsTransportTest, RenegotiationIsRefused) {
  connect({.max_version = TLS1_2_VERSION});
  ASSERT_TRUE(shake_hands());
  EXPECT_EQ(SSL_renegotiate(client_->native()), 1);
  client_->shake_hands();
  read();
  client_->shake_hands();
  EXPECT_TRUE(client_->has_failed());
}

TEST_F(TlsTransportTest, KeysMayBeChangedOnTheWay) {
  connect({.min_version = TLS1_3_VERSION});
  ASSERT_TRUE(shake_hands());
  for (int i = 0; i < 3; ++i) {
    SSL_key_update(client_->native(), SSL_KEY_UPDATE_REQUESTED);
    client_->send("asked");
    EXPECT_EQ(read(), "asked");
    EXPECT_TRUE(write("answered"));
    EXPECT_EQ(client_->receive(), "answered");
  }
}

}  // namespace
}  // namespace optimux::server
