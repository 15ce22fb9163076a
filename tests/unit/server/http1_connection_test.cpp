#include "server/http1_connection.hpp"

#include <algorithm>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kAsset = "/optimux/assets/photo.jpg?sizes=300x0";

/// A client that has sent `requests`, and whose first picture is never finished: it is given up when the client leaves.
struct UnfinishedRequest {
  explicit UnfinishedRequest(std::string_view requests, const ServerSettings& settings = test_settings())
      : running(settings) {
    running.backend().hold_orders();
    client.send(requests);
    rendition = running.backend().next_order().renditions[0];
    rendition->body()->on_abandoned([this] { abandoned.set_value(); });
  }

  /// The last reader of the picture has left, and a line of the log says `words`.
  std::string wait_for_end(std::string_view words) {
    abandoned.get_future().wait();
    return running.log().wait_for(words);
  }

  std::promise<void> abandoned;
  RunningServer running;
  HttpClient client{running.url()};
  std::shared_ptr<service::Rendition> rendition;
};

const std::string kAssetRequest = "GET " + std::string(kAsset) + " HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(Http1Connection, AnswersPingAndStaysOpen) {
  RunningServer running;
  HttpClient client(running.url());
  for (int i = 0; i < 3; ++i) {
    const auto response = client.get("/optimux/ping");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "pong\n");
    EXPECT_FALSE(response.headers.has("Connection"));
  }
}

TEST(Http1Connection, StreamsAPictureWhileItIsMade) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", kAsset);
  const auto order = running.backend().next_order();
  auto& rendition = *order.renditions[0];
  start(rendition);
  append(*rendition.body(), "first ");
  const auto head = client.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_TRUE(head.headers.has_token("Transfer-Encoding", "chunked"));
  EXPECT_EQ(client.read_raw(11), "6\r\nfirst \r\n");
  append(*rendition.body(), "last");
  rendition.body()->complete();
  const std::string rest = client.read_raw(14);
  EXPECT_TRUE(rest == "4\r\nlast\r\n0\r\n\r\n") << rest;
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
}

TEST(Http1Connection, FinishedPictureHasItsLength) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response = client.get(kAsset);
  EXPECT_EQ(response.headers.find("Content-Length"), "7");
  EXPECT_EQ(response.body, "picture");
}

TEST(Http1Connection, HeadHasTheFieldsAndNoBody) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("HEAD", kAsset);
  const auto response = client.read_response(true);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.find("Content-Length"), "7");
  EXPECT_EQ(client.get("/optimux/ping").body, "pong\n");
}

TEST(Http1Connection, AnswersPipelinedRequestsInOrder) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.send(
      "GET /optimux/assets/a.jpg HTTP/1.1\r\nHost: t\r\n\r\n"
      "GET /optimux/ping HTTP/1.1\r\nHost: t\r\n\r\n"
      "GET /nowhere HTTP/1.1\r\nHost: t\r\n\r\n");
  const auto order = running.backend().next_order();
  start(*order.renditions[0]);
  append(*order.renditions[0]->body(), "slow");
  order.renditions[0]->body()->complete();
  EXPECT_EQ(client.read_response().body, "slow");
  EXPECT_EQ(client.read_response().body, "pong\n");
  EXPECT_EQ(client.read_response().status, 404);
}

TEST(Http1Connection, ManyPipelinedRequestsAreAllAnswered) {
  RunningServer running;
  HttpClient client(running.url());
  std::string all;
  for (int i = 0; i < 200; ++i) all += "GET /optimux/ping HTTP/1.1\r\nHost: t\r\n\r\n";
  client.send(all);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.read_response().body, "pong\n") << i;
}

TEST(Http1Connection, ClosesWhenAskedTo) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response = client.get("/optimux/ping", "Connection: close\r\n");
  EXPECT_EQ(response.headers.find("Connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(Http1Connection, Http10ClosesAndKeepsAliveOnRequest) {
  RunningServer running;
  HttpClient closing(running.url());
  closing.send("GET /optimux/ping HTTP/1.0\r\n\r\n");
  EXPECT_EQ(closing.read_response().body, "pong\n");
  EXPECT_TRUE(closing.at_end());
  HttpClient staying(running.url());
  staying.send("GET /optimux/ping HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(staying.read_response().headers.find("Connection"), "keep-alive");
  EXPECT_EQ(staying.get("/optimux/ping").status, 200);
}

TEST(Http1Connection, Http10GetsABodyOfUnknownLengthUntilTheClose) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.send("GET /optimux/assets/a.jpg HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto order = running.backend().next_order();
  start(*order.renditions[0]);
  append(*order.renditions[0]->body(), "bytes");
  const auto head = client.read_head();
  EXPECT_FALSE(head.headers.has("Transfer-Encoding"));
  EXPECT_EQ(head.headers.find("Connection"), "close");
  order.renditions[0]->body()->complete();
  EXPECT_EQ(client.read_raw(5), "bytes");
  EXPECT_TRUE(client.at_end());
}

TEST(Http1Connection, InvitesTheBodyOfAnExpectation) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("POST", "/optimux/preload", "Expect: 100-continue\r\nContent-Length: 2\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.send("[]");
  EXPECT_EQ(client.read_response().status, 204);
}

TEST(Http1Connection, RefusesATooLargeExpectationWithoutInviting) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("POST", "/optimux/preload", "Expect: 100-continue\r\nContent-Length: 99999999\r\n");
  EXPECT_EQ(client.read_response().status, 413);
  EXPECT_TRUE(client.at_end());
}

TEST(Http1Connection, TakesChunkedBodies) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("POST", "/optimux/preload", "Transfer-Encoding: chunked\r\n");
  client.send("1\r\n[\r\n1;x=y\r\n]\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 204);
}

TEST(Http1Connection, MalformedRequestIsAnsweredAndClosed) {
  RunningServer running;
  HttpClient client(running.url());
  client.send(
      "GET /optimux/ping HTTP/1.1\r\nHost: t\r\n\r\nGET / HTTP/1.1\r\nHost : t\r\n\r\nGET /optimux/ping HTTP/1.1\r\n");
  EXPECT_EQ(client.read_response().status, 200);
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.headers.find("Content-Type"), "application/problem+json");
  EXPECT_EQ(response.headers.find("Connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(Http1Connection, LimitsOfTheHead) {
  RunningServer running;
  HttpClient long_url(running.url());
  EXPECT_EQ(long_url.get("/" + std::string(9000, 'a')).status, 414);
  HttpClient long_head(running.url());
  EXPECT_EQ(long_head.get("/", "X: " + std::string(40000, 'a') + "\r\n").status, 431);
}

TEST(Http1Connection, SlowReaderHoldsUpNobody) {
  RunningServer running;
  running.backend().set_content(std::string(16 << 20, 'x'));
  HttpClient slow(running.url(), 4096);
  slow.request("GET", kAsset);
  EXPECT_EQ(slow.read_head().status, 200);
  HttpClient other(running.url());
  EXPECT_EQ(other.get("/optimux/ping").status, 200);
  EXPECT_EQ(other.get(kAsset).body.size(), 16u << 20);
  EXPECT_EQ(slow.read_raw(16 << 20).size(), 16u << 20);
}

TEST(Http1Connection, ReaderThatStallsIsCutOff) {
  ServerSettings settings = test_settings();
  settings.write_stall_timeout = std::chrono::milliseconds(20);
  RunningServer running(settings);
  running.backend().set_content(std::string(16 << 20, 'x'));
  HttpClient stalled(running.url(), 4096);
  stalled.request("GET", kAsset);
  running.log().wait_for("whole=false");
}

TEST(Http1Connection, ReaderThatIsTooSlowInAllIsCutOff) {
  ServerSettings settings = test_settings();
  settings.max_send_time = std::chrono::milliseconds(20);
  RunningServer running(settings);
  running.backend().set_content(std::string(16 << 20, 'x'));
  HttpClient stalled(running.url(), 4096);
  stalled.request("GET", kAsset);
  running.log().wait_for("whole=false");
}

TEST(Http1Connection, ClientThatLeavesTakesItsRequestWithIt) {
  UnfinishedRequest unfinished(kAssetRequest);
  unfinished.client.reset();
  EXPECT_NE(unfinished.wait_for_end("status=499").find("photo.jpg"), std::string::npos);
}

TEST(Http1Connection, ClientThatLeavesBehindHalfARequestIsNoticedToo) {
  UnfinishedRequest unfinished(kAssetRequest);
  unfinished.client.send("POST /optimux/preload HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n[");
  unfinished.client.finish_sending();
  unfinished.wait_for_end("status=499");
}

TEST(Http1Connection, ClientThatLeavesMidBodyIsNoticedToo) {
  UnfinishedRequest unfinished(kAssetRequest);
  start(*unfinished.rendition);
  append(*unfinished.rendition->body(), "half");
  EXPECT_EQ(unfinished.client.read_head().status, 200);
  unfinished.client.reset();
  unfinished.wait_for_end("whole=false");
}

TEST(Http1Connection, ClientThatLeavesBehindAFullPipelineIsNoticedToo) {
  ServerSettings settings = test_settings();
  settings.max_pipelined = 2;
  UnfinishedRequest unfinished(kAssetRequest + kAssetRequest + kAssetRequest + kAssetRequest + kAssetRequest, settings);
  unfinished.client.finish_sending();
  unfinished.wait_for_end("status=499");
}

TEST(Http1Connection, ClientThatLeavesBehindAMalformedRequestIsNoticedToo) {
  UnfinishedRequest unfinished(kAssetRequest + "\n");
  unfinished.client.reset();
  unfinished.wait_for_end("status=499");
}

TEST(Http1Connection, RequestsBehindAFullPipelineAreAllAnswered) {
  ServerSettings settings = test_settings();
  settings.max_pipelined = 2;
  RunningServer running(settings);
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", kAsset);
  for (int i = 0; i < 5; ++i) client.request("GET", "/optimux/ping");
  const auto order = running.backend().next_order();
  running.in_loop([] {});  // The pipeline is full, and the client's leaving watched for.
  start(*order.renditions[0]);
  append(*order.renditions[0]->body(), "picture");
  order.renditions[0]->body()->complete();
  EXPECT_EQ(client.read_response().body, "picture");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.read_response().body, "pong\n");
}

TEST(Http1Connection, RequestsTogetherHaveABudgetAndSmallOnesArePassedThrough) {
  ServerSettings settings = test_settings();
  settings.max_request_bytes_under_way = 100'000;
  RunningServer running(settings);
  const std::string post = "POST /optimux/preload HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n";
  HttpClient first(running.url());
  first.send(post + std::string(80'000, ' '));
  HttpClient second(running.url());
  second.send(post + std::string(80'000, ' '));
  HttpClient small(running.url());
  EXPECT_EQ(small.get("/optimux/ping").status, 200);
  first.send(std::string(9'998, ' ') + "[]");
  second.send(std::string(9'998, ' ') + "[]");
  const int statuses[] = {first.read_response().status, second.read_response().status};
  EXPECT_EQ(std::count(std::begin(statuses), std::end(statuses), 503), 1) << statuses[0] << ' ' << statuses[1];
  EXPECT_EQ(std::count(std::begin(statuses), std::end(statuses), 204), 1) << statuses[0] << ' ' << statuses[1];
  HttpClient third(running.url());  // What has been answered or refused takes no memory any more.
  third.send(post + std::string(89'998, ' ') + "[]");
  EXPECT_EQ(third.read_response().status, 204);
}

TEST(Http1Connection, ClientThatClosesItsSideStillGetsWhatIsReady) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("GET", kAsset);
  client.finish_sending();
  EXPECT_EQ(client.read_response().body, "picture");
  EXPECT_TRUE(client.at_end());
}

TEST(Http1Connection, FailureBeforeTheFirstByteIsToldThoughTheEncoderHasBegun) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", kAsset);
  const auto order = running.backend().next_order();
  start(*order.renditions[0]);
  running.in_loop([] {});  // A head that went out at the encoder's start would be on its way now.
  order.renditions[0]->body()->fail({base::ErrorCode::kDeadlineExceeded, "too late", {}});
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(response.headers.find("Content-Type"), "application/problem+json");
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
}

TEST(Http1Connection, FailureAfterTheFirstByteCutsTheBodyOff) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", kAsset);
  const auto order = running.backend().next_order();
  start(*order.renditions[0]);
  append(*order.renditions[0]->body(), "half");
  EXPECT_EQ(client.read_head().status, 200);
  EXPECT_EQ(client.read_raw(9), "4\r\nhalf\r\n");
  order.renditions[0]->body()->fail({base::ErrorCode::kInternal, "", "the encoder broke"});
  EXPECT_TRUE(client.at_end());
  EXPECT_NE(running.log().wait_for("whole=false").find("the encoder broke"), std::string::npos);
}

TEST(Http1Connection, DeadlineThatNobodyKeepsBelowEndsTheRequest) {
  ServerSettings settings = test_settings();
  settings.request_deadline = std::chrono::milliseconds(1);
  RunningServer running(settings);
  running.backend().hold_orders();
  HttpClient client(running.url());
  const auto response = client.get(kAsset);
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
}

TEST(Http1Connection, IdleConnectionIsClosedInTime) {
  ServerSettings settings = test_settings();
  settings.idle_timeout = std::chrono::milliseconds(10);
  RunningServer running(settings);
  HttpClient client(running.url());
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
  EXPECT_TRUE(client.at_end());
}

TEST(Http1Connection, SlowHeadIsCutOff) {
  ServerSettings settings = test_settings();
  settings.header_timeout = std::chrono::milliseconds(10);
  RunningServer running(settings);
  HttpClient client(running.url());
  client.send("GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(client.at_end());
}

}  // namespace
}  // namespace optimux::server
