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

}  // namespace
}  // namespace optimux::server
