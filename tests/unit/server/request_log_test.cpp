#include "server/request_log.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "unit/server/recording_log.hpp"

namespace optimux::server {
namespace {

struct LogCase {
  LogCase() {
    ServerSettings settings;
    settings.max_logged_target_bytes = 10;
    context.id = "id";
    context.client.address = "127.0.0.1";
    context.settings = std::make_shared<const ServerSettings>(settings);
    request.method = "GET";
    request.target = "/0123456789abcdef";
    record.context = &context;
    record.request = &request;
    record.route = "resize";
    record.status = 200;
    record.body_bytes = 12;
    record.total = std::chrono::microseconds(1500);
  }
  http::Request request;
  RequestContext context;
  RequestRecord record;
  RecordingLog log;
};

TEST(RequestLog, OneLineWithAllFields) {
  LogCase c;
  c.record.report.cache = service::CacheOutcome::kMiss;
  c.record.report.timings = {.fetch = std::chrono::microseconds(250),
                             .queue = std::chrono::microseconds(1),
                             .decode = std::chrono::microseconds(3000),
                             .encode = std::chrono::microseconds(41'500)};
  write_request_log(c.log, c.record);
  EXPECT_EQ(c.log.wait_for("request"),
            "event=request id=id method=GET target=/012345678 status=200 bytes=12 route=resize total_ms=1.500 "
            "client=127.0.0.1 protocol=h1 "
            "cache=miss fetch_ms=0.250 queue_ms=0.001 decode_ms=3.000 encode_ms=41.500");
}

TEST(RequestLog, WhatTheClientMakesLongIsShortened) {
  LogCase c;
  c.request.method = "BEGIN" + std::string(5'000, 'm') + "END";
  c.record.report.error =
      base::Error{base::ErrorCode::kNotFound, {}, "open " + std::string(5'000, 'k') + ": no such file"};
  write_request_log(c.log, c.record);
  const std::string line = c.log.wait_for("request");
  EXPECT_LT(line.size(), 900u);
  EXPECT_NE(line.find("method=\"BEGIN"), std::string::npos);
  EXPECT_NE(line.find("cause=\"open kkk"), std::string::npos);
  EXPECT_NE(line.find("kkk: no such file"), std::string::npos);
}

TEST(RequestLog, TimesThatWereNotMeasuredAreLeftOut) {
  LogCase c;
  c.record.report.cache = service::CacheOutcome::kMiss;
  c.record.report.timings.fetch = std::chrono::microseconds(250);
  write_request_log(c.log, c.record);
  const std::string line = c.log.wait_for("request");
  EXPECT_TRUE(line.ends_with("cache=miss fetch_ms=0.250")) << line;
}

TEST(RequestLog, HitsHaveNoTimesAndErrorsTheirCause) {
  LogCase c;
  c.record.report.cache = service::CacheOutcome::kHit;
  c.record.report.error = base::Error{base::ErrorCode::kOriginFailed, "d", "c"};
  c.record.is_whole = false;
  write_request_log(c.log, c.record);
  const std::string line = c.log.wait_for("request");
  EXPECT_EQ(line.find("fetch_ms"), std::string::npos);
  EXPECT_NE(line.find("cache=hit whole=false error=origin_failed detail=d cause=c"), std::string::npos) << line;
}

TEST(RequestLog, LevelFollowsTheStatus) {
  LogCase c;
  c.log.set_level(base::LogLevel::kWarning);
  write_request_log(c.log, c.record);
  c.record.status = 503;
  write_request_log(c.log, c.record);
  c.record.status = 502;
  write_request_log(c.log, c.record);
  EXPECT_NE(c.log.wait_for("request").find("status=502"), std::string::npos);  // The first that was written.
}

TEST(RequestLog, ProbesAreSeenOnlyWhenTheyFailOrSomebodyLooksClosely) {
  for (const auto* const route : {"health", "ready", "metrics"}) {
    LogCase c;
    c.record.route = route;
    write_request_log(c.log, c.record);  // Not written at info.
    c.record.status = 503;
    write_request_log(c.log, c.record);
    EXPECT_NE(c.log.wait_for("request").find("status=503"), std::string::npos) << route;
    LogCase close;
    close.log.set_level(base::LogLevel::kDebug);
    close.record.route = route;
    write_request_log(close.log, close.record);
    EXPECT_NE(close.log.wait_for("request").find("status=200"), std::string::npos) << route;
  }
}

}  // namespace
}  // namespace optimux::server
