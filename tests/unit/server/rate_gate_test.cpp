#include "server/rate_gate.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

/// One token comes back each second, also to a test that is slow: it asks until it is refused.
ServerSettings slow_settings(std::uint32_t burst) {
  ServerSettings settings = test_settings();
  settings.rate_limit = 1;
  settings.rate_burst = burst;
  settings.trusted_proxies = {"127.0.0.1"};
  return settings;
}

std::string from(const std::string& client) {
  return "X-Forwarded-For: " + client + "\r\n";
}

/// Asks until the answer is a 429, and returns that; how many came before it is counted in `before`.
ClientResponse ask_until_refused(HttpClient& client, std::string_view target, int& before,
                                 const std::string& more_lines = "") {
  ClientResponse response;
  for (before = 0; before < 1'000; ++before) {
    response = client.get(target, more_lines);
    if (response.status == 429) return response;
  }
  ADD_FAILURE() << "nobody is refused";
  return response;
}

TEST(RateGate, BeyondTheRateA429SaysWhenToComeBack) {
  RunningServer running(slow_settings(3));
  HttpClient client(running.url());
  EXPECT_EQ(client.get("/optimux/assets/a").status, 200);
  EXPECT_EQ(client.get("/resize?image_url=nonsense").status, 400);
  int before = 0;
  const auto response = ask_until_refused(client, "/optimux/info/a", before);
  EXPECT_GE(before, 1) << "two had been taken of three";
  const int wait = std::stoi(std::string(response.headers.find("Retry-After").value_or("0")));
  EXPECT_GE(wait, 1);
  EXPECT_LE(wait, 2);
  EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  EXPECT_NE(response.body.find("rate_limit (1 a second)"), std::string::npos) << response.body;
  EXPECT_EQ(running.backend().opened(), before + 1) << "what is refused opens nothing";
}

TEST(RateGate, PreloadListsCount) {
  RunningServer running(slow_settings(1));
  HttpClient client(running.url());
  int refused = 0;
  for (int i = 0; i < 100 && refused == 0; ++i) {
    client.request("POST", "/optimux/preload", "Content-Length: 2\r\n");
    client.send("[]");
    refused += client.read_response().status == 429 ? 1 : 0;
  }
  EXPECT_EQ(refused, 1);
}

TEST(RateGate, ProbesPagesAndMistakesAreNotCounted) {
  RunningServer running(slow_settings(1));
  HttpClient client(running.url());
  int before = 0;
  ask_until_refused(client, "/optimux/assets/a", before);
  for (int i = 0; i < 5; ++i) {
    for (const auto* const path : {"/health", "/ready", "/optimux/ping", "/optimux/docs", "/"}) {
      EXPECT_EQ(client.get(path).status, 200) << path;
    }
    EXPECT_EQ(client.get("/nothing").status, 404);
  }
}

TEST(RateGate, ClientsBehindAProxyAreToldApart) {
  RunningServer running(slow_settings(1));
  HttpClient client(running.url());
  int before = 0;
  ask_until_refused(client, "/optimux/assets/a", before, from("192.0.2.1"));
  EXPECT_GE(before, 1);
  ask_until_refused(client, "/optimux/assets/a", before, from("9.9.9.9, 192.0.2.1"));
  EXPECT_EQ(client.get("/optimux/assets/a", from("192.0.2.2")).status, 200);
  EXPECT_NE(running.log().wait_for("client=192.0.2.2").find("status=200"), std::string::npos);
}

TEST(RateGate, WithoutTrustNobodyCanBeSomebodyElse) {
  ServerSettings settings = slow_settings(1);
  settings.trusted_proxies = {};
  RunningServer running(settings);
  HttpClient client(running.url());
  int answered = 0;
  while (answered < 100 && client.get("/optimux/assets/a", from("192.0.2." + std::to_string(answered))).status == 200) {
    ++answered;
  }
  EXPECT_LT(answered, 100);
}

TEST(RateGate, HitsOfTheCacheCountATenth) {
  RunningServer running(slow_settings(10));
  running.backend().set_outcome(service::CacheOutcome::kHit);
  HttpClient client(running.url());
  int answered = 0;
  while (client.get("/optimux/assets/a").status == 200) {
    ++answered;
    ASSERT_LT(answered, 1'000);
  }
  EXPECT_GE(answered, 90);
}

TEST(RateGate, LimitsChangeWhileRunning) {
  RunningServer running(slow_settings(1));
  HttpClient client(running.url());
  int before = 0;
  ask_until_refused(client, "/optimux/assets/a", before);
  running.in_loop([&] { EXPECT_TRUE(running.server().set_settings(test_settings())); });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get("/optimux/assets/a").status, 200);
}

TEST(RateGate, ShortOfMemoryConnectionsAreNotKept) {
  RunningServer running;
  HttpClient client(running.url());
  EXPECT_FALSE(client.get("/health").headers.has("Connection"));
  running.backend().run_short_of_memory();
  EXPECT_EQ(client.get("/health").headers.find("Connection"), "close");
  EXPECT_TRUE(client.at_end());
}

}  // namespace
}  // namespace optimux::server
