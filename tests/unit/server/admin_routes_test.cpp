#include "server/admin_routes.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

ClientResponse put(HttpClient& client, const std::string& target, const std::string& body) {
  client.request("PUT", target, "Content-Length: " + std::to_string(body.size()) + "\r\n");
  client.send(body);
  return client.read_response();
}

TEST(AdminRoutes, MetricsCountRequestsByRouteAndStatus) {
  RunningServer running;
  HttpClient client(running.url());
  client.get("/optimux/assets/a");
  client.get("/optimux/assets/a?quality=0");
  client.get("/nowhere");
  HttpClient admin(running.admin_url());
  const auto page = admin.get("/metrics");
  EXPECT_EQ(page.headers.find("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const auto* const line :
       {"optimux_http_requests_total{route=\"assets\",status=\"200\"} 1",
        "optimux_http_requests_total{route=\"assets\",status=\"400\"} 1",
        "optimux_http_requests_total{route=\"none\",status=\"404\"} 1",
        "optimux_http_response_bytes_total{route=\"assets\"}",
        "optimux_http_request_duration_seconds_bucket{route=\"assets\",le=\"+Inf\"} 2",
        "optimux_http_connections_accepted_total 1", "optimux_pool_workers_max{pool=\"image\"} 2",
        "optimux_pool_jobs_total{pool=\"image\",outcome=\"refused\"} 0", "optimux_cache_hits_total 11",
        "optimux_draining 0", "process_resident_memory_bytes "}) {
    EXPECT_NE(page.body.find(line), std::string::npos) << line << '\n' << page.body;
  }
}

TEST(AdminRoutes, PoolsAndTheirDecisions) {
  RunningServer running;
  HttpClient admin(running.admin_url());
  const auto pools = admin.get("/pools");
  EXPECT_EQ(pools.headers.find("Content-Type"), "application/json");
  EXPECT_NE(pools.body.find("\"policy\": \"little\""), std::string::npos);
  EXPECT_NE(pools.body.find("\"verdict\": \"raise the cap\""), std::string::npos);
  EXPECT_NE(pools.body.find("\"workers\": 6"), std::string::npos);
  const auto decisions = admin.get("/pools/image/decisions");
  EXPECT_NE(decisions.body.find("\"reason\": \"three wait\""), std::string::npos);
  EXPECT_EQ(admin.get("/pools/video/decisions").status, 404);
  EXPECT_EQ(admin.get("/pools/image/other").status, 404);
  EXPECT_EQ(admin.get("/pools//decisions").status, 404);
}

TEST(AdminRoutes, TimesThatNobodyMeasuredAreNull) {
  RunningServer running;
  HttpClient admin(running.admin_url());
  const auto times = [&] {
    const auto pool = nlohmann::json::parse(admin.get("/pools").body).at("pools").at(0);
    return pool.at("wait_seconds").dump() + pool.at("service_seconds").dump();
  };
  EXPECT_EQ(times(), R"({"p50":null,"p95":null,"p99":null}{"p50":null,"p95":null,"p99":null})");
  running.backend().set_service_time(0.5);
  EXPECT_EQ(times(), R"({"p50":0.0,"p95":0.0,"p99":0.0}{"p50":0.5,"p95":0.5,"p99":0.5})");
}

TEST(AdminRoutes, LimitsOfAPool) {
  RunningServer running;
  HttpClient admin(running.admin_url());
  const auto changed = put(admin, "/pools/image/limits", R"({"workers_max": 7})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.body.find("\"workers_max\": 7"), std::string::npos);
  EXPECT_NE(changed.body.find("\"workers_min\": 1"), std::string::npos);
  for (const auto* const body : {"", "[]", "{}", R"({"workers_max": "7"})", R"({"workers_max": -1})", R"({"other": 1})",
                                 R"({"workers_min": 9, "workers_max": 2})", R"({"workers_max": 33})"}) {
    EXPECT_EQ(put(admin, "/pools/image/limits", body).status, 400) << body;
  }
  EXPECT_EQ(put(admin, "/pools/video/limits", R"({"workers_max": 7})").status, 404);
}

TEST(AdminRoutes, NothingOfLimitsIsReadBehindWhatDoesNotBelong) {
  RunningServer running;
  HttpClient admin(running.admin_url());
  const std::pair<std::string, std::string> refusals[] = {
      {"[!", "is a JSON object with workers_min and workers_max"},
      {"{\"other\"!", "has other fields"},
      {"{\"workers_min\":[!", "are whole numbers from 0 to 32"},
      {"{\"workers_max\":33!", "are whole numbers from 0 to 32"},
      {"{\"workers_min\":9}", "workers_min: 9 is more than workers_max, which is 2"},
      {"{\"workers_min\":1,\"workers_max\":{!", "are whole numbers"},
  };
  for (const auto& [body, detail] : refusals) {
    const auto response = put(admin, "/pools/image/limits", body);
    EXPECT_EQ(response.status, 400);
    EXPECT_NE(response.body.find(detail), std::string::npos) << response.body;
  }
}

TEST(AdminRoutes, LogLevel) {
  RunningServer running;
  HttpClient admin(running.admin_url());
  EXPECT_EQ(put(admin, "/log-level", "debug\n").body, "debug\n");
  EXPECT_EQ(running.log().level(), base::LogLevel::kDebug);
  EXPECT_EQ(put(admin, "/log-level", "loud").status, 400);
}

TEST(AdminRoutes, HealthIsThereToo) {
  RunningServer running;
  HttpClient admin(running.admin_url());
  EXPECT_EQ(admin.get("/health").status, 200);
  EXPECT_EQ(admin.get("/ready").status, 200);
  EXPECT_EQ(admin.get("/resize").status, 404);
}

}  // namespace
}  // namespace optimux::server
