#include "server/json_answer.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kTwoSizes = "/optimux/assets/a?encoder=json&sizes=300x0,600x0";

void finish(service::Rendition& rendition, int width, int height, std::string_view content) {
  start(rendition, width, height);
  append(*rendition.body(), content);
  rendition.body()->complete();
}

TEST(JsonAnswer, HasAllSizes) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", kTwoSizes);
  const auto order = running.backend().next_order();
  finish(*order.renditions[1], 600, 338, "ab");
  finish(*order.renditions[0], 300, 169, "abc");
  const auto response = client.read_response();
  EXPECT_EQ(response.headers.find("Content-Type"), "application/json");
  EXPECT_EQ(response.headers.find("Content-Length"), std::to_string(response.body.size()));
  EXPECT_FALSE(response.headers.has("Link"));
  EXPECT_EQ(response.body,
            "{\"data\":{\"300x169.webp\":\"data:image/webp;base64,YWJj\",\"600x338.webp\":\"data:image/"
            "webp;base64,YWI=\"}}\n");
}

TEST(JsonAnswer, WaitsWhileBytesCome) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", "/optimux/assets/a?encoder=json");
  const auto order = running.backend().next_order();
  auto& rendition = *order.renditions[0];
  start(rendition);
  for (int i = 0; i < 5; ++i) {
    append(*rendition.body(), "x");
    running.in_loop([] {});
  }
  rendition.body()->complete();
  EXPECT_NE(client.read_response().body.find(base::base64_encode("xxxxx")), std::string::npos);
}

TEST(JsonAnswer, LargePicturesAreEncodedPieceByPiece) {
  RunningServer running;
  std::string content;
  for (int i = 0; i < 300'001; ++i) content += static_cast<char>(i * 7);
  running.backend().set_content(content);
  const auto response = HttpClient(running.url()).get("/optimux/assets/a?encoder=json");
  EXPECT_TRUE(response.is_whole);
  EXPECT_EQ(response.body,
            "{\"data\":{\"300x169.webp\":\"data:image/webp;base64," + base::base64_encode(content) + "\"}}\n");
}

TEST(JsonAnswer, SizesThatTurnOutEqualStandThereOnce) {
  RunningServer running;
  const auto response = HttpClient(running.url()).get("/optimux/assets/a?encoder=json&sizes=300x0,0x169");
  EXPECT_TRUE(response.is_whole);
  EXPECT_EQ(response.body.find("300x169.webp"), response.body.rfind("300x169.webp"));
}

TEST(JsonAnswer, OneFailureIsTheFailureOfAll) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", kTwoSizes);
  const auto order = running.backend().next_order();
  start(*order.renditions[0]);
  order.renditions[1]->body()->fail({base::ErrorCode::kLimitExceeded, "max_output_pixels: 50000000.", ""});
  order.renditions[0]->body()->complete();
  EXPECT_EQ(client.read_response().status, 422);
}

TEST(JsonAnswer, HasATagOfItsOwn) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response = client.get("/optimux/assets/a?encoder=json");
  const std::string tag(response.headers.find("ETag").value_or(""));
  EXPECT_NE(tag, "\"tag\"");
  EXPECT_EQ(client.get("/optimux/assets/a?encoder=json", "If-None-Match: " + tag + "\r\n").status, 304);
  EXPECT_EQ(client.get("/optimux/assets/a?encoder=json", "If-None-Match: \"tag\"\r\n").status, 200);
}

}  // namespace
}  // namespace optimux::server
