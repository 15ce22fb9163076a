#include "server/http2_connection.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/server/http2_stage.hpp"

namespace optimux::server {
namespace {

using http::Http2Error;

constexpr std::string_view kAsset = "/optimux/assets/photo.jpg?sizes=300x0";

TEST(Http2Connection, AnswersRequestsSideBySide) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  const auto slow = stage.peer.get(kAsset);
  const auto ping = stage.peer.get("/optimux/ping");
  const auto nowhere = stage.peer.get("/nowhere");
  stage.settle();
  EXPECT_EQ(stage.response(ping).body, "pong\n");
  EXPECT_TRUE(stage.response(ping).is_ended);
  EXPECT_EQ(stage.response(nowhere).status, 404);
  EXPECT_EQ(stage.response(slow).status, 0);
  auto& rendition = *stage.backend.next_order().renditions[0];
  server::start(rendition);
  append(*rendition.body(), "first ");
  stage.settle();
  EXPECT_EQ(stage.response(slow).status, 200);
  EXPECT_EQ(stage.response(slow).body, "first ");
  EXPECT_FALSE(stage.response(slow).is_ended);
  append(*rendition.body(), "last");
  rendition.body()->complete();
  stage.settle();
  EXPECT_EQ(stage.response(slow).body, "first last");
  EXPECT_TRUE(stage.response(slow).is_ended);
}

TEST(Http2Connection, AnswersHaveTheFieldsOfHttp1ButThoseOfAConnection) {
  Http2Stage stage;
  stage.start();
  const auto stream = stage.peer.get(kAsset, {{"x-request-id", "abc"}});
  stage.settle();
  const auto& response = stage.response(stream);
  EXPECT_EQ(response.body, "picture");
  EXPECT_EQ(response.headers.find("content-type"), "image/webp");
  EXPECT_EQ(response.headers.find("content-length"), "7");
  EXPECT_EQ(response.headers.find("x-request-id"), "abc");
  EXPECT_TRUE(response.headers.has("date"));
  EXPECT_TRUE(response.headers.has("etag"));
  EXPECT_FALSE(response.headers.has("connection"));
  EXPECT_FALSE(response.headers.has("transfer-encoding"));
}

TEST(Http2Connection, HeadAndEmptyAnswersHaveNoBody) {
  Http2Stage stage;
  stage.start();
  const auto head = stage.peer.request("HEAD", kAsset);
  const auto options = stage.peer.request("OPTIONS", kAsset);
  stage.settle();
  EXPECT_EQ(stage.response(head).headers.find("content-length"), "7");
  EXPECT_TRUE(stage.response(head).is_ended);
  EXPECT_EQ(stage.response(options).status, 204);
  EXPECT_TRUE(stage.response(options).is_ended);
  EXPECT_TRUE(stage.peer.data_frames().empty());
}

TEST(Http2Connection, TakesBodies) {
  Http2Stage stage;
  stage.start();
  const auto stream = stage.peer.request("POST", "/optimux/preload", {{"content-type", "application/json"}},
                                         R"([{"url": "/optimux/assets/a.jpg", "priority": 1}])");
  stage.settle();
  EXPECT_EQ(stage.response(stream).status, 204);
  EXPECT_TRUE(stage.response(stream).headers.has("link"));
}

TEST(Http2Connection, JsonAnswersArriveWhole) {
  Http2Stage stage;
  stage.backend.set_content(std::string(300'000, 'x'));
  stage.start();
  const auto stream = stage.peer.get("/optimux/assets/photo.jpg?encoder=json&sizes=300x0");
  stage.settle();
  const auto& response = stage.response(stream);
  EXPECT_EQ(response.headers.find("content-length"), std::to_string(response.body.size()));
  EXPECT_GT(response.body.size(), 400'000u);
  EXPECT_TRUE(response.is_ended);
}

TEST(Http2Connection, ErrorsOfRequestsAreAnswered) {
  ServerSettings settings;
  settings.max_body_bytes = 10;
  Http2Stage stage(settings);
  stage.start();
  const auto head = stage.peer.get("/a", {{"x", std::string(40'000, 'x')}});
  const auto body = stage.peer.request("POST", "/optimux/preload", {}, std::string(100'000, 'b'));
  const auto target = stage.peer.request("HEAD", "/a#b");
  stage.settle();
  EXPECT_EQ(stage.response(head).status, 431);
  EXPECT_EQ(stage.response(body).status, 413);
  EXPECT_EQ(stage.response(body).reset, Http2Error::kNoError);
  EXPECT_EQ(stage.response(target).status, 400);
  EXPECT_EQ(stage.response(target).body, "");
  const auto fine = stage.peer.get("/optimux/ping");
  stage.settle();
  EXPECT_EQ(stage.response(fine).status, 200);
}

TEST(Http2Connection, BodiesShareTheMemoryForRequests) {
  ServerSettings settings;
  settings.max_header_bytes = 1'024;
  settings.max_request_bytes_under_way = 65'536;
  Http2Stage stage(settings);
  stage.start();
  const auto large = stage.peer.request("POST", "/optimux/preload", {}, std::string(200'000, ' '));
  const auto ping = stage.peer.get("/optimux/ping");
  stage.settle();
  EXPECT_EQ(stage.response(large).status, 503);
  EXPECT_TRUE(stage.response(large).headers.has("retry-after"));
  EXPECT_EQ(stage.response(ping).status, 200);
  const auto small = stage.peer.request("POST", "/optimux/preload", {}, "[]" + std::string(20'000, ' '));
  stage.settle();
  EXPECT_NE(stage.response(small).status, 503);
  EXPECT_NE(stage.response(small).status, 0);
}

TEST(Http2Connection, HeadsThatAreHeldForTheirAnswersShareItToo) {
  ServerSettings settings;
  settings.max_header_bytes = 16'384;
  settings.max_request_bytes_under_way = 65'536;
  Http2Stage stage(settings, {.initial_window = 0, .opens_windows = false});
  stage.start();
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 100; ++i) streams.push_back(stage.peer.get("/optimux/ping", {{"x", std::string(8'000, 'x')}}));
  stage.settle();
  std::size_t refused = 0;
  for (const auto stream : streams) refused += stage.response(stream).status == 503 ? 1u : 0u;
  // Free are one large head and a usual one for each open stream, 216 KiB in all: 27 of these.
  EXPECT_GT(refused, 70u);
  EXPECT_LT(refused, 76u);
  stage.peer.set_initial_window(65'535);
  stage.settle();
  EXPECT_TRUE(stage.response(streams.front()).is_ended);
  const auto later = stage.peer.get("/optimux/ping", {{"x", std::string(8'000, 'x')}});
  stage.settle();
  EXPECT_EQ(stage.response(later).status, 200);
}

TEST(Http2Connection, AResetTakesTheRequestWithIt) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  const auto rendition = stage.backend.next_order().renditions[0];
  EXPECT_EQ(rendition->body()->reader_count(), 1);
  stage.peer.reset(stream);
  stage.settle();
  EXPECT_EQ(rendition->body()->reader_count(), 0);
  EXPECT_NE(stage.log.wait_for("request").find("status=499"), std::string::npos);
  const auto ping = stage.peer.get("/optimux/ping");
  stage.settle();
  EXPECT_EQ(stage.response(ping).status, 200);
}

TEST(Http2Connection, SoDoesOneThatTheClientMakesTheServerSend) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  const auto rendition = stage.backend.next_order().renditions[0];
  stage.wire.is_stuck = true;
  stage.peer.ping();
  stage.settle();
  // WINDOW_UPDATE beyond 2^31 - 1, which is answered when there is room and nothing to read.
  stage.peer.raw(http::http2_frame(http::Http2FrameType::kWindowUpdate, 0, static_cast<std::uint32_t>(stream),
                                   std::string("\x7f\xff\xff\xff", 4)));
  stage.settle();
  stage.unstick();
  EXPECT_EQ(stage.response(stream).reset, Http2Error::kFlowControlError);
  EXPECT_EQ(rendition->body()->reader_count(), 0);
}

TEST(Http2Connection, AClientThatLeavesTakesAllItsRequestsWithIt) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  stage.peer.get(kAsset);
  stage.peer.get("/optimux/assets/b.jpg");
  stage.settle();
  const auto first = stage.backend.next_order().renditions[0];
  const auto second = stage.backend.next_order().renditions[0];
  stage.wire.is_cut = true;
  stage.settle();
  EXPECT_EQ(first->body()->reader_count() + second->body()->reader_count(), 0);
  EXPECT_TRUE(stage.is_closed());
}

TEST(Http2Connection, ABodyThatFailsIsReset) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  auto& rendition = *stage.backend.next_order().renditions[0];
  server::start(rendition);
  append(*rendition.body(), "half");
  stage.settle();
  rendition.body()->fail({base::ErrorCode::kBrokenMedia, "cut", {}});
  stage.settle();
  EXPECT_EQ(stage.response(stream).body, "half");
  EXPECT_FALSE(stage.response(stream).is_ended);
  EXPECT_EQ(stage.response(stream).reset, Http2Error::kInternalError);
}

TEST(Http2Connection, AFailureBeforeTheHeadIsAnError) {
  Http2Stage stage;
  stage.backend.fail_with({base::ErrorCode::kUnsupportedMedia, "not a picture", {}});
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  EXPECT_EQ(stage.response(stream).status, 415);
  EXPECT_TRUE(stage.response(stream).is_ended);
}

TEST(Http2Connection, AnAnswerThatOutlastsItsDeadlineIsA504OrReset) {
  ServerSettings settings;
  settings.request_deadline = std::chrono::milliseconds(1);
  Http2Stage stage(settings);
  stage.backend.hold_orders();
  stage.start();
  const auto silent = stage.peer.get(kAsset);
  const auto half = stage.peer.get("/optimux/assets/b.jpg");
  stage.settle();
  const auto first = stage.backend.next_order();
  const auto second = stage.backend.next_order();
  server::start(*second.renditions[0]);
  append(*second.renditions[0]->body(), "half");
  EXPECT_TRUE(
      stage.settle_until([&] { return stage.response(silent).is_ended && stage.response(half).reset.has_value(); }));
  EXPECT_EQ(stage.response(silent).status, 504);
  EXPECT_EQ(stage.response(half).status, 200);
  EXPECT_EQ(stage.response(half).reset, Http2Error::kInternalError);
  EXPECT_EQ(first.renditions[0]->body()->reader_count(), 0);
}

TEST(Http2Connection, DrainsInTwoStepsAndFinishesWhatIsOpen) {
  ServerSettings settings;
  settings.drain_idle_grace = std::chrono::milliseconds(1);
  Http2Stage stage(settings);
  stage.backend.hold_orders();
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  stage.drain();
  EXPECT_EQ(stage.peer.goaway(), Http2Error::kNoError);
  EXPECT_TRUE(stage.settle_until([&] { return stage.peer.goaway_stream() == stream; }));
  EXPECT_FALSE(stage.is_closed());
  auto& rendition = *stage.backend.next_order().renditions[0];
  server::start(rendition);
  append(*rendition.body(), "picture");
  rendition.body()->complete();
  stage.settle();
  EXPECT_EQ(stage.response(stream).body, "picture");
  EXPECT_TRUE(stage.is_closed());
  EXPECT_NE(stage.metrics().find("optimux_http2_goaways_total{reason=\"drain\"} 1"), std::string::npos);
}

TEST(Http2Connection, AbortCutsEverythingOff) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  stage.peer.get(kAsset);
  stage.settle();
  stage.registry.abort_all();
  stage.settle();
  EXPECT_TRUE(stage.is_closed());
  EXPECT_NE(stage.log.wait_for("request").find("status=503"), std::string::npos);
}

TEST(Http2Connection, AnIdleConnectionIsClosedToMakeRoom) {
  Http2Stage stage;
  stage.start();
  stage.peer.get("/optimux/ping");
  stage.settle();
  EXPECT_EQ(stage.registry.idle(), 1u);
  EXPECT_TRUE(stage.registry.close_oldest_idle());
  stage.settle();
  EXPECT_TRUE(stage.is_closed());
  EXPECT_EQ(stage.peer.goaway(), Http2Error::kNoError);
}

TEST(Http2Connection, AConnectionWithARequestIsNotIdle) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  stage.peer.get(kAsset);
  stage.settle();
  EXPECT_EQ(stage.registry.idle(), 0u);
}

TEST(Http2Connection, ARefusedConnectionIsToldSoAndClosed) {
  Http2Stage stage;
  stage.start(std::nullopt, base::Error{base::ErrorCode::kOverloaded, "too many connections are open", {}});
  const auto stream = stage.peer.get("/optimux/ping");
  stage.settle();
  EXPECT_EQ(stage.response(stream).status, 503);
  EXPECT_TRUE(stage.is_closed());
}

TEST(Http2Connection, AnswersTheUpgradedRequestOnStreamOne) {
  Http2Stage stage;
  http::Request request;
  request.method = "GET";
  request.target = "/optimux/ping";
  request.headers = {{"Host", "localhost"}};
  // The client of this test has not sent that request, so what comes back is looked at byte by byte.
  stage.start(Http2Upgrade{std::move(request), std::string("\x00\x04\x00\x00\xff\xff", 6)});
  EXPECT_NE(stage.log.wait_for("request").find("status=200"), std::string::npos);
  EXPECT_NE(stage.log.wait_for("request").find("stream=1"), std::string::npos);
}

TEST(Http2Connection, SettingsOfAnUpgradeThatAreNotValidCloseTheConnection) {
  Http2Stage stage;
  stage.start(Http2Upgrade{{}, "abc"});
  EXPECT_TRUE(stage.is_closed());
}

TEST(Http2Connection, LogsProtocolAndStream) {
  Http2Stage stage;
  stage.start();
  stage.peer.get("/optimux/ping");
  stage.peer.get("/nowhere");
  stage.settle();
  const std::string line = stage.log.wait_for("nowhere");
  EXPECT_NE(line.find("protocol=h2"), std::string::npos);
  EXPECT_NE(line.find("stream=3"), std::string::npos);
}

TEST(Http2Connection, CountsStreamsAndResets) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  stage.peer.get("/optimux/ping");
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  stage.peer.reset(stream);
  stage.settle();
  const std::string page = stage.metrics();
  EXPECT_NE(page.find("optimux_http2_connections_total 1"), std::string::npos);
  EXPECT_NE(page.find("optimux_http2_streams_total 2"), std::string::npos);
  EXPECT_NE(page.find("optimux_http2_resets_total{by=\"client\"} 1"), std::string::npos);
}

TEST(Http2Connection, WritesNoMoreAtOnceThanTheNetworkHasRoomFor) {
  Http2Stage stage({}, {.initial_window = 1 << 20});
  stage.wire.room = 0;  // The least budget counts.
  stage.backend.set_content(std::string(200'000, 'x'));
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  EXPECT_EQ(stage.response(stream).body.size(), 200'000u);
  for (const std::size_t size : stage.wire.sizes) EXPECT_LE(size, 8'192u + 1'024 + 100);
}

TEST(Http2Connection, WhatIsMoreUrgentOvertakesWhatTheNetworkHasNotTaken) {
  Http2Stage stage({}, {.initial_window = 1 << 20});
  stage.backend.set_content(std::string(60'000, 'b'));
  stage.start();
  stage.wire.is_stuck = true;
  stage.peer.get(kAsset, {{"priority", "u=7"}});
  stage.settle();
  stage.peer.get("/optimux/assets/b.jpg", {{"priority", "u=0"}});
  stage.settle();
  stage.wire.room = 0;
  stage.wire.is_stuck = false;
  stage.unstick();
  // What was framed before goes first, then the urgent one, then the rest.
  std::vector<std::int32_t> order;
  for (const auto& frame : stage.peer.data_frames()) {
    if (order.empty() || order.back() != frame.stream) order.push_back(frame.stream);
  }
  EXPECT_EQ(stage.response(1).body.size(), 60'000u);
  EXPECT_EQ(stage.response(3).body.size(), 60'000u);
  EXPECT_EQ(order.front(), 1);
}

}  // namespace
}  // namespace optimux::server
