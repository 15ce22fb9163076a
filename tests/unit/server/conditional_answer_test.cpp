#include "server/conditional_answer.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

/// `*` and dates are met by pictures that nobody could make: they count only where the answer would be a 200.
constexpr std::array<std::string_view, 2> kConditionsOfAnybody = {
    "If-None-Match: *\r\n", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n"};

TEST(ConditionalAnswer, CopyThatIsStillRightIsNotSentAgain) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const condition : {"If-None-Match: W/\"tag\"\r\n", "If-None-Match: *\r\n",
                                      "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"}) {
    const auto response = client.get("/optimux/assets/a.jpg?format=auto", condition);
    EXPECT_EQ(response.status, 304) << condition;
    EXPECT_EQ(response.headers.find("ETag"), "\"tag\"");
    EXPECT_EQ(response.headers.find("Vary"), "Accept");
    EXPECT_TRUE(response.headers.has("Cache-Control"));
    EXPECT_FALSE(response.headers.has("Content-Type"));
  }
  EXPECT_EQ(client.get("/optimux/assets/a.jpg", "If-None-Match: \"other\"\r\n").status, 200);
}

TEST(ConditionalAnswer, HeadOfACopyThatIsStillRightLeaves) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("HEAD", "/optimux/assets/a", "If-None-Match: \"tag\"\r\n");
  const auto order = running.backend().next_order();
  EXPECT_EQ(client.read_response(true).status, 304);
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
  EXPECT_EQ(order.renditions[0]->body()->reader_count(), 0);
}

TEST(ConditionalAnswer, CopyThatIsStillRightWaitsForNoRender) {
  RunningServer running;
  std::map<std::string, std::string> tags;
  for (const std::string more : {"", "&encoder=json"}) {
    const auto response = HttpClient(running.url()).get("/optimux/assets/a?sizes=300x0,600x0" + more);
    tags[more] = response.headers.find("ETag").value_or("");
  }
  running.backend().hold_orders();
  running.backend().hide_facts();
  for (const auto& [more, tag] : tags) {
    HttpClient client(running.url());
    client.request("GET", "/optimux/assets/a?sizes=300x0,600x0" + more, "If-None-Match: " + tag + "\r\n");
    const auto order = running.backend().next_order();
    running.in_loop([] {});  // It waits.
    for (const auto& rendition : order.renditions) rendition->set_facts(sample_facts());
    for (const auto& rendition : order.renditions) rendition->body()->wake_readers();
    const auto response = client.read_response();
    EXPECT_EQ(response.status, 304) << more;
    EXPECT_TRUE(response.headers.has("ETag"));
    EXPECT_EQ(client.get("/optimux/ping").status, 200);
    for (const auto& rendition : order.renditions) EXPECT_EQ(rendition->body()->reader_count(), 0) << more;
  }
}

TEST(ConditionalAnswer, ConditionsOfAnybodyKeepNoErrorBack) {
  RunningServer running;
  running.backend().hold_orders();
  for (const std::string_view condition : kConditionsOfAnybody) {
    for (const std::string more : {"", "&encoder=json"}) {
      HttpClient client(running.url());
      client.request("GET", "/optimux/assets/a?sizes=300x0,600x0" + more, condition);
      const auto order = running.backend().next_order();
      running.in_loop([] {});  // It knows the facts, and waits.
      for (const auto& rendition : order.renditions) {
        rendition->body()->fail({base::ErrorCode::kLimitExceeded, "max_output_pixels: 50000000.", ""});
      }
      EXPECT_EQ(client.read_response().status, 422) << condition << more;
    }
  }
}

TEST(ConditionalAnswer, ConditionsOfAnybodyGive304OnceThereIsAPicture) {
  RunningServer running;
  running.backend().hold_orders();
  for (const std::string_view condition : kConditionsOfAnybody) {
    HttpClient client(running.url());
    client.request("GET", "/optimux/assets/a", condition);
    const auto order = running.backend().next_order();
    running.in_loop([] {});  // It knows the facts, and waits.
    start(*order.renditions[0]);
    append(*order.renditions[0]->body(), "bytes");
    EXPECT_EQ(client.read_response().status, 304) << condition;
  }
}

TEST(ConditionalAnswer, PartOfWhatIsFinished) {
  RunningServer running;
  HttpClient client(running.url());
  const auto whole = client.get("/optimux/assets/a.jpg");
  const std::string size = std::to_string(whole.body.size());
  EXPECT_EQ(whole.headers.find("Accept-Ranges"), "bytes");
  const auto part = client.get("/optimux/assets/a.jpg", "Range: bytes=1-3\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, whole.body.substr(1, 3));
  EXPECT_EQ(part.headers.find("Content-Range"), "bytes 1-3/" + size);
  EXPECT_EQ(part.headers.find("Content-Length"), "3");
  EXPECT_EQ(part.headers.find("ETag"), whole.headers.find("ETag"));
  EXPECT_EQ(part.headers.find("Content-Type"), whole.headers.find("Content-Type"));
  const auto none = client.get("/optimux/assets/a.jpg", "Range: bytes=" + size + "-\r\n");
  EXPECT_EQ(none.status, 416);
  EXPECT_EQ(none.headers.find("Content-Range"), "bytes */" + size);
  EXPECT_EQ(none.headers.find("Content-Type"), "application/problem+json");
}

TEST(ConditionalAnswer, ConditionsComeBeforeTheRange) {
  RunningServer running;
  HttpClient client(running.url());
  const std::string range = "Range: bytes=0-0\r\n";
  EXPECT_EQ(client.get("/optimux/assets/a", range + "If-None-Match: \"tag\"\r\n").status, 304);
  EXPECT_EQ(client.get("/optimux/assets/a", range + "If-Range: \"tag\"\r\n").status, 206);
  EXPECT_EQ(client.get("/optimux/assets/a", range + "If-Range: \"old\"\r\n").status, 200);
}

TEST(ConditionalAnswer, RangeIsForGetAndForBodiesThatAreSentAsTheyAre) {
  RunningServer running;
  HttpClient client(running.url());
  client.request("HEAD", "/optimux/assets/a", "Range: bytes=0-0\r\n");
  EXPECT_EQ(client.read_response(true).status, 200);
  const auto document = client.get("/optimux/assets/a?encoder=json", "Range: bytes=0-0\r\n");
  EXPECT_EQ(document.status, 200);
  EXPECT_FALSE(document.headers.has("Accept-Ranges"));
}

TEST(ConditionalAnswer, WhatIsInTheMakingIsSentWhole) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", "/optimux/assets/a", "Range: bytes=1-2\r\n");
  const auto order = running.backend().next_order();
  start(*order.renditions[0]);
  append(*order.renditions[0]->body(), "bytes");
  running.in_loop([] {});
  order.renditions[0]->body()->complete();
  const auto response = client.read_response();
  EXPECT_EQ(response.body, response.status == 206 ? "yt" : "bytes") << "206 where the end was seen with the head";
}

}  // namespace
}  // namespace optimux::server
