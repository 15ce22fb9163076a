#include "server/router.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

TEST(Router, UnknownPathsAreNotFound) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const path :
       {"/nowhere", "/resize/", "/RESIZE", "/optimux/assets/", "/optimux/assets", "//health", "/metrics", "/pools"}) {
    const auto response = client.get(path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.headers.find("Content-Type"), "application/problem+json");
  }
}

TEST(Router, WrongMethodsAreToldTheRightOnes) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("DELETE", "/resize");
  const auto resize = client.read_response();
  EXPECT_EQ(resize.status, 405);
  EXPECT_EQ(resize.headers.find("Allow"), "GET, HEAD, OPTIONS");
  const auto preload = client.get("/optimux/preload");
  EXPECT_EQ(preload.status, 405);
  EXPECT_EQ(preload.headers.find("Allow"), "POST, OPTIONS");
  client.request("CONNECT", "/health");
  EXPECT_EQ(client.read_response().status, 405);
}

TEST(Router, OptionsTellTheMethods) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("OPTIONS", "/optimux/preload");
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.headers.find("Allow"), "POST, OPTIONS");
  client.request("OPTIONS", "*");
  EXPECT_EQ(client.read_response().status, 204);
  client.request("OPTIONS", "/nowhere");
  EXPECT_EQ(client.read_response().status, 404);
}

}  // namespace
}  // namespace optimux::server
