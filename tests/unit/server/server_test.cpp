#include "server/server.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"
#include "unit/server/tls_peer.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kAsset = "/optimux/assets/photo.jpg";

void finish(const FakeBackend::Order& order) {
  start(*order.renditions[0]);
  append(*order.renditions[0]->body(), "whole");
  order.renditions[0]->body()->complete();
}

TEST(Server, RefusesSettingsThatCannotBe) {
  EventLoop loop;
  FakeBackend backend;
  RecordingLog log;
  const auto refused = [&](const std::function<void(ServerSettings&)>& change) {
    ServerSettings settings = test_settings();
    change(settings);
    const auto server = Server::make(loop, settings, backend, log);
    return server ? std::string() : server.error().detail;
  };
  EXPECT_EQ(refused([](ServerSettings&) {}), "");
  EXPECT_TRUE(refused([](ServerSettings& s) { s.listen = {"nonsense"}; }).starts_with("listen:"));
  EXPECT_TRUE(refused([](ServerSettings& s) { s.admin = "0.0.0.0:0"; }).starts_with("admin:"));
  EXPECT_EQ(refused([](ServerSettings& s) { s.admin = "0.0.0.0:0", s.admin_allow_remote = true; }), "");
  EXPECT_TRUE(refused([](ServerSettings& s) { s.max_connections = 0; }).starts_with("max_connections:"));
  EXPECT_TRUE(refused([](ServerSettings& s) { s.idle_timeout = {}; }).starts_with("idle_timeout:"));
  EXPECT_TRUE(refused([](ServerSettings& s) { s.listen_tls = {"nonsense"}; }).starts_with("listen_tls:"));
  EXPECT_EQ(refused([](ServerSettings& s) { s.listen_tls = {"8443"}; }), "listen_tls: needs tls_certificate");
  EXPECT_EQ(refused([](ServerSettings& s) { s.tls_key = "key.pem"; }), "tls_key: needs tls_certificate");
  EXPECT_TRUE(refused([](ServerSettings& s) { s.tls_min_version = "1.1"; }).starts_with("tls_min_version:"));
  EXPECT_TRUE(refused([](ServerSettings& s) { s.early_hints = "sometimes"; }).starts_with("early_hints:"));
}

TEST(Server, SpeaksTlsBesideCleartext) {
  const TlsFiles files(make_test_certificate("server.example"));
  ServerSettings settings = test_settings();
  settings.listen_tls = {"127.0.0.1:0"};
  settings.tls_certificate = files.certificate();
  settings.tls_key = files.key();
  EventLoop loop;
  FakeBackend backend;
  RecordingLog log;
  auto server = *Server::make(loop, settings, backend, log);
  const auto bound = server->start();
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->size(), 3U);
  EXPECT_TRUE((*bound)[0].url.starts_with("http://127.0.0.1:"));
  EXPECT_TRUE((*bound)[1].url.starts_with("https://127.0.0.1:"));
  EXPECT_TRUE((*bound)[2].is_admin);
}

TEST(Server, CertificateThatCannotBeUsedIsAnError) {
  ServerSettings settings = test_settings();
  settings.listen_tls = {"127.0.0.1:0"};
  settings.tls_certificate = "/missing.pem";
  EventLoop loop;
  FakeBackend backend;
  RecordingLog log;
  auto server = *Server::make(loop, settings, backend, log);
  const auto bound = server->start();
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().detail, "tls_certificate: '/missing.pem' cannot be opened: No such file or directory");
}

TEST(Server, AddressThatIsTakenIsAnError) {
  RunningServer running;
  EventLoop loop;
  FakeBackend backend;
  RecordingLog log;
  ServerSettings settings = test_settings();
  settings.listen = {running.url().substr(std::string("http://").size())};
  auto server = *Server::make(loop, settings, backend, log);
  const auto bound = server->start();
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().detail.find("Address already in use"), std::string::npos) << bound.error().detail;
}

TEST(Server, ListensAtSeveralAddresses) {
  ServerSettings settings = test_settings();
  const std::string path = testing::TempDir() + "optimux-server-test.sock";
  settings.listen = {"127.0.0.1:0", "unix:" + path};
  {
    RunningServer running(settings);
    EXPECT_EQ(HttpClient("unix:" + path).get("/optimux/ping").status, 200);
    EXPECT_EQ(HttpClient(running.url()).get("/optimux/ping").status, 200);
    running.log().wait_for("client=unix");
  }
  EXPECT_FALSE(HttpClient("unix:" + path).is_connected());
}

TEST(Server, TwoServersShareAPort) {
  ServerSettings settings = test_settings();
  settings.reuse_port = true;
  RunningServer first(settings);
  settings.listen = {first.url().substr(std::string("http://").size())};
  RunningServer second(settings);
  EXPECT_EQ(first.url(), second.url());
  EXPECT_EQ(HttpClient(first.url()).get("/optimux/ping").status, 200);
}

TEST(Server, DrainFinishesWhatWasAsked) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient busy(running.url());
  busy.request("GET", kAsset);
  const auto order = running.backend().next_order();
  running.server().begin_drain();
  running.in_loop([] {});
  finish(order);
  const auto response = busy.read_response();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "whole");
  EXPECT_TRUE(busy.at_end());
  EXPECT_TRUE(running.join());
  EXPECT_FALSE(HttpClient(running.url()).is_connected());
}

TEST(Server, DrainTellsReadinessAndClosesKeptConnections) {
  ServerSettings settings = test_settings();
  settings.drain_delay = std::chrono::minutes(1);
  settings.drain_idle_grace = std::chrono::minutes(1);
  RunningServer running(settings);
  HttpClient kept(running.url());
  EXPECT_EQ(kept.get("/ready").status, 200);
  running.server().begin_drain();
  running.in_loop([] {});
  const auto response = kept.get("/ready");
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.has("Retry-After"));
  EXPECT_EQ(response.headers.find("Connection"), "close");
  EXPECT_TRUE(kept.at_end());
  EXPECT_EQ(HttpClient(running.url()).get("/health").status, 200);  // Still accepted during the delay.
}

TEST(Server, DrainAnswersConnectionsThatWereOnlyQueued) {
  ServerSettings settings = test_settings();
  settings.drain_idle_grace = std::chrono::seconds(20);
  RunningServer running(settings);
  std::vector<std::unique_ptr<HttpClient>> clients;
  running.in_loop([&] {  // The loop stands still here, so these wait in the kernel's queue.
    for (int i = 0; i < 20; ++i) {
      clients.push_back(std::make_unique<HttpClient>(running.url()));
      clients.back()->request("GET", "/optimux/ping");
    }
    running.server().begin_drain();
  });
  for (const auto& client : clients) EXPECT_EQ(client->read_response().body, "pong\n");
  clients.clear();
  EXPECT_TRUE(running.join());
}

TEST(Server, DrainClosesIdleConnections) {
  RunningServer running;
  HttpClient idle(running.url());
  EXPECT_EQ(idle.get("/optimux/ping").status, 200);
  HttpClient silent(running.url());
  running.server().begin_drain();
  EXPECT_TRUE(running.join());
  EXPECT_TRUE(idle.at_end());
}

TEST(Server, DrainEndsAtItsTimeout) {
  ServerSettings settings = test_settings();
  settings.drain_timeout = std::chrono::milliseconds(20);
  RunningServer running(settings);
  running.backend().hold_orders();
  HttpClient busy(running.url());
  busy.request("GET", kAsset);
  running.backend().next_order();
  running.server().begin_drain();
  EXPECT_FALSE(running.join());
  EXPECT_TRUE(busy.at_end());
  const std::string line = running.log().wait_for("route=assets");
  EXPECT_NE(line.find("status=503"), std::string::npos) << line;  // The client did not leave.
  EXPECT_NE(line.find("whole=false error=shutting_down cause=\"cut off"), std::string::npos) << line;
}

TEST(Server, StopCutsEverythingOff) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient busy(running.url());
  busy.request("GET", kAsset);
  running.backend().next_order();
  running.server().stop();
  EXPECT_FALSE(running.join());
  EXPECT_TRUE(busy.at_end());
}

TEST(Server, TooManyConnectionsAreToldSo) {
  ServerSettings settings = test_settings();
  settings.max_connections = 2;
  RunningServer running(settings);
  running.backend().hold_orders();
  HttpClient first(running.url());
  HttpClient second(running.url());
  first.request("GET", kAsset);
  second.request("GET", kAsset);
  const auto order = running.backend().next_order();
  const auto other = running.backend().next_order();
  const auto refused = HttpClient(running.url()).get("/optimux/ping");
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.headers.has("Retry-After"));
  finish(order);
  finish(other);
  EXPECT_EQ(first.read_response().status, 200);
  EXPECT_EQ(second.read_response().status, 200);
}

TEST(Server, TheLongestIdleConnectionMakesRoom) {
  ServerSettings settings = test_settings();
  settings.max_connections = 2;
  RunningServer running(settings);
  HttpClient oldest(running.url());
  EXPECT_EQ(oldest.get("/optimux/ping").status, 200);
  HttpClient younger(running.url());
  EXPECT_EQ(younger.get("/optimux/ping").status, 200);
  HttpClient newest(running.url());
  EXPECT_EQ(newest.get("/optimux/ping").status, 200);
  EXPECT_TRUE(oldest.at_end());
  EXPECT_EQ(younger.get("/optimux/ping").status, 200);
}

TEST(Server, NewSettingsHoldForNewRequests) {
  RunningServer running;
  HttpClient client(running.url());
  EXPECT_EQ(client.get("/optimux/docs").status, 200);
  running.in_loop([&] {
    ServerSettings changed = test_settings();
    changed.docs = false;
    EXPECT_TRUE(running.server().set_settings(changed));
    changed.max_pipelined = 0;
    EXPECT_FALSE(running.server().set_settings(changed));
  });
  EXPECT_EQ(client.get("/optimux/docs").status, 404);
}

}  // namespace
}  // namespace optimux::server
