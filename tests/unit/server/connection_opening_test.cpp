#include "server/connection_opening.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/http2_opening.hpp"
#include "server/health_routes.hpp"
#include "unit/server/fake_backend.hpp"
#include "unit/server/recording_log.hpp"
#include "unit/server/tls_peer.hpp"

namespace optimux::server {
namespace {

const std::string kPing = "GET /optimux/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const std::string kUpgrade =
    "GET /optimux/ping HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    "HTTP2-Settings: AAMAAABk\r\n\r\n";

/// What became HTTP/2. It ends as soon as it is looked at no more.
struct Http2Start {
  Arrival arrival;
  std::optional<Http2Upgrade> upgrade;
};

/// A function pointer knows no test, so the one that runs is here.
std::vector<Http2Start>* current_starts = nullptr;

void record_http2(const ConnectionHost&, Arrival arrival, std::optional<Http2Upgrade> upgrade) {
  current_starts->push_back({std::move(arrival), std::move(upgrade)});
}

class ConnectionOpeningTest : public testing::Test {
 protected:
  ConnectionOpeningTest() {
    current_starts = &starts_;
    add_health_routes(router_, state_);
    log_.set_level(base::LogLevel::kDebug);
  }
  ~ConnectionOpeningTest() override {
    starts_.clear();
    registry_.abort_all();
    while (registry_.size() > 0) loop_.run_ready();
    current_starts = nullptr;
  }

  static ServerSettings settings() {
    ServerSettings settings;
    settings.drain_idle_grace = std::chrono::milliseconds(1);
    return settings;
  }

  std::shared_ptr<const TlsContext> tls() {
    const TlsFiles files(make_test_certificate("server.example"));
    TlsContext::Settings settings = files.settings();
    settings.offers_http2 = true;
    return *TlsContext::make(settings, std::make_shared<TicketKeys>());
  }

  void open(std::shared_ptr<const TlsContext> tls = nullptr, Http2Starter http2 = &record_http2,
            std::optional<base::Error> refusal = {}) {
    open_connection({state_, router_, registry_, http2},
                    {make_wire_transport(loop_, wire_), {"test"}, {}, std::move(refusal)}, std::move(tls));
  }

  void set_settings(const ServerSettings& settings) {
    state_.settings = std::make_shared<const ServerSettings>(settings);
  }

  void run_once() {
    wire_.tell_reader();
    loop_.run_ready();
  }
  /// Runs until nothing happens any more.
  void settle() {
    for (int i = 0; i < 200; ++i) run_once();
  }
  /// Runs, with its timers, until every connection has ended.
  void run_to_the_end() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (registry_.size() > 0 && std::chrono::steady_clock::now() < end) run_once();
  }

  /// The client's side of a handshake, as far as it gets.
  bool shake_hands(TlsPeer& peer) {
    for (int i = 0; i < 10; ++i) {
      const bool is_done = peer.shake_hands();
      run_once();
      if (is_done) return true;
    }
    return false;
  }

  std::string page() { return state_.metrics.page(backend_, {}, false); }

  EventLoop loop_;
  FakeBackend backend_;
  RecordingLog log_;
  ServerState state_{loop_, settings(), backend_, log_};
  Router router_{state_};
  ConnectionRegistry registry_{[] {}};
  Wire wire_;
  std::vector<Http2Start> starts_;
};

TEST_F(ConnectionOpeningTest, CleartextIsHttp1HoweverItIsCut) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{4'096}}) {
    wire_ = {.to_server = kPing, .bytes_a_read = size};
    open();
    settle();
    EXPECT_TRUE(wire_.to_client.ends_with("pong\n")) << wire_.to_client;
    EXPECT_TRUE(starts_.empty());
    wire_.client_has_left = true;
    run_to_the_end();
  }
}

TEST_F(ConnectionOpeningTest, ThePrefaceMakesItHttp2HoweverItIsCut) {
  const std::string input = std::string(http::kHttp2Preface) + "frames";
  for (const std::size_t size : {std::size_t{1}, std::size_t{23}, std::size_t{4'096}}) {
    starts_.clear();
    wire_ = {.to_server = input, .bytes_a_read = size};
    open();
    settle();
    ASSERT_EQ(starts_.size(), 1U);
    EXPECT_EQ(starts_[0].arrival.input + wire_.to_server, input);  // What was not read is still there to read.
    EXPECT_GE(starts_[0].arrival.input.size(), http::kHttp2Preface.size());
    EXPECT_EQ(starts_[0].arrival.client.protocol, "h2");
    EXPECT_EQ(starts_[0].arrival.client.tls, "");
    EXPECT_FALSE(starts_[0].upgrade);
    EXPECT_EQ(wire_.to_client, "");
    EXPECT_EQ(registry_.size(), 0U);
  }
}

TEST_F(ConnectionOpeningTest, ABrokenPrefaceIsABadRequest) {
  wire_.to_server = "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n";
  open();
  settle();
  EXPECT_TRUE(wire_.to_client.starts_with("HTTP/1.1 400 ")) << wire_.to_client;
}

TEST_F(ConnectionOpeningTest, WithoutHttp2ThePrefaceIsABadRequest) {
  wire_.to_server = std::string(http::kHttp2Preface);
  open(nullptr, nullptr);
  settle();
  EXPECT_TRUE(wire_.to_client.starts_with("HTTP/1.1 400 ")) << wire_.to_client;
}

TEST_F(ConnectionOpeningTest, AnUpgradeIsGranted) {
  wire_.to_server = kUpgrade;
  open();
  settle();
  EXPECT_EQ(wire_.to_client, http::kSwitchingToHttp2);
  ASSERT_EQ(starts_.size(), 1U);
  ASSERT_TRUE(starts_[0].upgrade);
  EXPECT_EQ(starts_[0].upgrade->request.target, "/optimux/ping");
  EXPECT_EQ(starts_[0].upgrade->settings, std::string("\0\3\0\0\0d", 6));
  EXPECT_EQ(starts_[0].arrival.input, "");
  EXPECT_EQ(starts_[0].arrival.client.protocol, "h2");
  EXPECT_FALSE(wire_.is_closed);
}

TEST_F(ConnectionOpeningTest, AnUpgradeIsNotGrantedLate) {
  wire_.to_server = "GET /optimux/ping HTTP/1.1\r\nHost: a\r\n\r\n";
  open();
  settle();
  wire_.to_server = kUpgrade;
  settle();
  EXPECT_TRUE(starts_.empty());
  const std::string behind = kUpgrade + kPing;
  Wire other{.to_server = behind};
  open_connection({state_, router_, registry_, &record_http2}, {make_wire_transport(loop_, other), {"test"}, {}, {}},
                  nullptr);
  settle();
  EXPECT_TRUE(starts_.empty());
  EXPECT_TRUE(other.to_client.ends_with("pong\n"));
  EXPECT_TRUE(other.to_client.starts_with("HTTP/1.1 200 "));
  registry_.abort_all();
  run_to_the_end();
}

TEST_F(ConnectionOpeningTest, AnUpgradeIsNotGrantedByThoseWhoHaveNone) {
  wire_.to_server = kUpgrade;
  open(nullptr, nullptr);
  settle();
  EXPECT_TRUE(wire_.to_client.starts_with("HTTP/1.1 200 "));
}

TEST_F(ConnectionOpeningTest, AlpnChooses) {
  open(tls());
  TlsPeer http2(wire_, {.protocols = "\x02h2\x08http/1.1"});
  ASSERT_TRUE(shake_hands(http2));
  settle();
  ASSERT_EQ(starts_.size(), 1U);
  EXPECT_EQ(starts_[0].arrival.client.tls, "1.3");
  EXPECT_EQ(starts_[0].arrival.client.protocol, "h2");
  EXPECT_EQ(starts_[0].arrival.input, "");
  std::array<char, 100> buffer{};
  http2.send("frames");
  EXPECT_EQ(starts_[0].arrival.transport->read(buffer).bytes, 6U);
  EXPECT_NE(page().find("optimux_tls_handshakes_total{outcome=\"full\"} 1"), std::string::npos);
}

TEST_F(ConnectionOpeningTest, Http1IsSpokenOverTlsWithAndWithoutAlpn) {
  for (const std::string_view protocols : {"\x08http/1.1", ""}) {
    wire_ = {};
    open(tls());
    TlsPeer peer(wire_, {.max_version = TLS1_2_VERSION, .protocols = protocols});
    ASSERT_TRUE(shake_hands(peer));
    peer.send(kPing);
    settle();
    const std::string answer = peer.receive();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
    EXPECT_TRUE(peer.has_been_told_the_end());
    EXPECT_NE(log_.wait_for("target=/optimux/ping").find("client=test protocol=h1 tls=1.2"), std::string::npos);
    wire_.client_has_left = true;
    run_to_the_end();
  }
  EXPECT_TRUE(starts_.empty());
  EXPECT_NE(page().find("optimux_http_protocol_requests_total{protocol=\"h1\",tls=\"1.2\"} 2"), std::string::npos);
}

TEST_F(ConnectionOpeningTest, NeitherPrefaceNorUpgradeCountsBehindAHandshake) {
  for (const std::string& input : {kUpgrade, std::string(http::kHttp2Preface)}) {
    wire_ = {};
    open(tls());
    TlsPeer peer(wire_, {.protocols = "\x08http/1.1"});
    ASSERT_TRUE(shake_hands(peer));
    peer.send(input);
    settle();
    EXPECT_TRUE(peer.receive().starts_with("HTTP/1.1 "));
    EXPECT_TRUE(starts_.empty());
    registry_.abort_all();
    run_to_the_end();
  }
}

TEST_F(ConnectionOpeningTest, CleartextAtATlsPortIsToldSo) {
  wire_.to_server = kPing;
  open(tls());
  settle();
  EXPECT_TRUE(wire_.to_client.starts_with("HTTP/1.1 400 ")) << wire_.to_client;
  EXPECT_NE(wire_.to_client.find("this port speaks TLS: use https"), std::string::npos);
  EXPECT_NE(page().find("outcome=\"cleartext\"} 1"), std::string::npos);
}

TEST_F(ConnectionOpeningTest, GarbageAtATlsPortIsClosed) {
  wire_.to_server = std::string("\x16\x03\x01\x00\x05hello", 10);
  open(tls());
  run_to_the_end();
  EXPECT_TRUE(wire_.is_closed);
  EXPECT_NE(log_.wait_for("handshake failed").find("client=test reason="), std::string::npos);
  EXPECT_NE(page().find("outcome=\"failed\"} 1"), std::string::npos);
}

TEST_F(ConnectionOpeningTest, RefusalsAreToldOverTls) {
  open(tls(), &record_http2, base::Error{base::ErrorCode::kOverloaded, "too many", {}});
  TlsPeer peer(wire_, {.protocols = "\x08http/1.1"});
  ASSERT_TRUE(shake_hands(peer));
  peer.send(kPing);
  settle();
  EXPECT_TRUE(peer.receive().starts_with("HTTP/1.1 503 "));
}

TEST_F(ConnectionOpeningTest, WhoIsTooSlowIsClosed) {
  ServerSettings hasty = settings();
  hasty.header_timeout = std::chrono::milliseconds(1);
  set_settings(hasty);
  TlsPeer peer(wire_, {});
  peer.shake_hands();
  const std::string hello = wire_.to_server;
  for (const std::string& input : {std::string(), hello.substr(0, 20), hello}) {
    wire_ = {.to_server = input};
    open(tls());
    run_to_the_end();
    EXPECT_TRUE(wire_.is_closed) << input.size();
    EXPECT_EQ(registry_.size(), 0U);
  }
  EXPECT_NE(page().find("outcome=\"abandoned\"} 2"), std::string::npos);
  wire_ = {.to_server = "PRI * HTTP"};
  open();
  run_to_the_end();
  EXPECT_TRUE(wire_.is_closed);
  EXPECT_EQ(wire_.to_client, "");
}

TEST_F(ConnectionOpeningTest, WhoHasNotOpenedYetMakesRoomForOthers) {
  open(tls());
  TlsPeer peer(wire_, {});
  peer.shake_hands();
  settle();
  EXPECT_EQ(registry_.size(), 1U);
  EXPECT_EQ(registry_.idle(), 1U);
  EXPECT_TRUE(registry_.close_oldest_idle());
  settle();
  EXPECT_EQ(registry_.size(), 0U);
  EXPECT_TRUE(wire_.is_closed);
}

TEST_F(ConnectionOpeningTest, AClientThatLeavesEndsIt) {
  for (const std::string& input : {std::string(), std::string("PRI"), std::string("\x16\x03")}) {
    for (const bool is_tls : {false, true}) {
      wire_ = {.to_server = input, .client_has_left = true};
      open(is_tls ? tls() : nullptr);
      run_to_the_end();
      EXPECT_TRUE(wire_.is_closed);
    }
  }
}

TEST_F(ConnectionOpeningTest, ADrainingServerWaitsForThoseWhoHaveBegun) {
  Wire silent;
  const ConnectionHost host{state_, router_, registry_, &record_http2};
  open(tls());
  open_connection(host, {make_wire_transport(loop_, silent), {"test"}, {}, {}}, tls());
  TlsPeer peer(wire_, {.protocols = "\x02h2"});
  peer.shake_hands();
  settle();
  state_.draining_since = std::chrono::steady_clock::now();
  registry_.drain_all();
  while (!silent.is_closed) loop_.run_ready();
  EXPECT_FALSE(wire_.is_closed);
  ASSERT_TRUE(shake_hands(peer));
  settle();
  EXPECT_EQ(starts_.size(), 1U);
}

}  // namespace
}  // namespace optimux::server
