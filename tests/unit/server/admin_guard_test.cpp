#include "server/admin_guard.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

int status_with_host(const std::string& url, const std::string& host) {
  HttpClient client(url);
  client.send("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  return client.read_response().status;
}

TEST(AdminGuard, AddressesAndLocalNamesPass) {
  for (const auto* const host : {"localhost", "LOCALHOST:8812", "localhost.", "a.localhost:1", "127.0.0.1:8812",
                                 "192.168.1.5", "[::1]:8812", "[::1]", "[fe80::1]:1"}) {
    EXPECT_TRUE(is_local_host(host)) << host;
  }
}

TEST(AdminGuard, NamesThatSomebodysDnsHandsOutDoNot) {
  for (const auto* const host : {"evil.example", "evil.example:8812", "localhost.evil.example", "evillocalhost",
                                 ".localhost", "", ":8812", "[evil]", "[::1", "127.0.0.1.evil.example", "127.1"}) {
    EXPECT_FALSE(is_local_host(host)) << host;
  }
}

TEST(AdminGuard, StandsBeforeTheAdminListenerAlone) {
  RunningServer running;
  EXPECT_EQ(status_with_host(running.admin_url(), "localhost"), 200);
  EXPECT_EQ(status_with_host(running.admin_url(), "evil.example"), 421);
  HttpClient client(running.url());
  client.send("GET /health HTTP/1.1\r\nHost: pictures.example\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 200);
}

TEST(AdminGuard, LetsEverybodyPassWhereOthersAreAllowed) {
  ServerSettings settings = test_settings();
  settings.admin_allow_remote = true;
  RunningServer running(settings);
  EXPECT_EQ(status_with_host(running.admin_url(), "metrics.internal:8812"), 200);
}

int status_with_field(const std::string& url, const std::string& field) {
  HttpClient client(url);
  client.send("DELETE /cache HTTP/1.1\r\nHost: 127.0.0.1:8812\r\n" + field + "\r\n\r\n");
  return client.read_response().status;
}

TEST(AdminGuard, PagesOfOtherSitesGetNothing) {
  ServerSettings settings = test_settings();
  settings.cors_origins = {"*"};
  settings.admin_allow_remote = true;
  RunningServer running(settings);
  for (const auto* const field :
       {"Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:8811", "Origin: 127.0.0.1:8812",
        "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"}) {
    EXPECT_EQ(status_with_field(running.admin_url(), field), 403) << field;
  }
  for (const auto* const field :
       {"Accept: */*", "Origin: http://127.0.0.1:8812", "Sec-Fetch-Site: none", "Sec-Fetch-Site: same-origin"}) {
    EXPECT_NE(status_with_field(running.admin_url(), field), 403) << field;
  }
}

TEST(AdminGuard, APreflightOfAnotherSiteIsRefused) {
  ServerSettings settings = test_settings();
  settings.cors_origins = {"*"};
  RunningServer running(settings);
  HttpClient client(running.admin_url());
  client.send(
      "OPTIONS /cache HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n"
      "Access-Control-Request-Method: DELETE\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 403);
}

}  // namespace
}  // namespace optimux::server
