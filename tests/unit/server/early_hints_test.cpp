#include "server/early_hints.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "server/rendition_routes.hpp"
#include "unit/server/http2_stage.hpp"
#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

const http::Headers kNavigation = {{"sec-fetch-mode", "navigate"}};
constexpr const char* kThreeSizes = "/optimux/assets/a?sizes=9,8,7";

ServerSettings hinting(std::string when) {
  ServerSettings settings = test_settings();
  settings.early_hints = std::move(when);
  return settings;
}

/// Whether a GET over `protocol` with these fields gets a hint of one link.
bool is_hinted(const std::string& when, std::string_view protocol, const http::Headers& fields,
               std::string method = "GET", int minor_version = 1) {
  http::Request request;
  request.method = std::move(method);
  request.headers = fields;
  request.minor_version = minor_version;
  RequestContext context;
  context.client.protocol = protocol;
  context.settings = std::make_shared<const ServerSettings>(hinting(when));
  const auto hints = early_hints(request, context, {"</a>; rel=preload; as=image"});
  EXPECT_TRUE(!hints || hints->joined("Link") == "</a>; rel=preload; as=image");
  return hints.has_value();
}

TEST(EarlyHints, AreForWhoNavigatesOverHttp2) {
  EXPECT_TRUE(is_hinted("navigate", "h2", kNavigation));
  EXPECT_FALSE(is_hinted("navigate", "h2", {}));
  EXPECT_FALSE(is_hinted("navigate", "h2", {{"Sec-Fetch-Mode", "no-cors"}}));
  EXPECT_FALSE(is_hinted("navigate", "h1", kNavigation));
  EXPECT_FALSE(is_hinted("off", "h2", kNavigation));
}

TEST(EarlyHints, AreForAllWhereThatIsWanted) {
  EXPECT_TRUE(is_hinted("always", "h2", {}));
  EXPECT_TRUE(is_hinted("always", "h1", {}));
  EXPECT_FALSE(is_hinted("always", "h1", {}, "GET", 0)) << "HTTP/1.0 knows no such head";
}

TEST(EarlyHints, AreNotForHeadsConditionsAndParts) {
  EXPECT_FALSE(is_hinted("always", "h2", kNavigation, "HEAD"));
  for (const char* name : {"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range"}) {
    EXPECT_FALSE(is_hinted("always", "h2", {{name, "x"}})) << name;
  }
}

TEST(EarlyHints, HaveALengthThatClientsTake) {
  http::Request request;
  request.method = "GET";
  RequestContext context;
  context.settings = std::make_shared<const ServerSettings>(hinting("always"));
  EXPECT_FALSE(early_hints(request, context, {}));
  EXPECT_TRUE(early_hints(request, context, {std::string(2'048, 'a'), std::string(2'048, 'a')}));
  EXPECT_FALSE(early_hints(request, context, {std::string(2'048, 'a'), std::string(2'049, 'a')}));
}

TEST(EarlyHints, GoOutOverHttp2WhileThePictureIsMade) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.backend.hide_facts();
  stage.start();
  const auto stream = stage.peer.get(kThreeSizes, kNavigation);
  stage.settle();
  EXPECT_EQ(stage.response(stream).status, 0) << "whether there is a picture is not known yet";
  const auto order = stage.backend.next_order();
  for (const auto& rendition : order.renditions) rendition->set_facts(sample_facts());
  for (const auto& rendition : order.renditions) rendition->body()->wake_readers();
  stage.settle();
  EXPECT_EQ(stage.response(stream).status, 103);
  order.renditions[0]->body()->wake_readers();
  stage.settle();
  start(*order.renditions[0], 9, 9);
  append(*order.renditions[0]->body(), "picture");
  order.renditions[0]->body()->complete();
  stage.settle();
  const auto& response = stage.response(stream);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "picture");
  ASSERT_EQ(response.informational.size(), 1u);
  const http::Headers& hints = response.informational[0].second;
  EXPECT_EQ(hints.size(), 2u);
  EXPECT_EQ(hints.joined("link"), response.headers.joined("link"));
  EXPECT_NE(hints.joined("link").find("sizes=8x0>"), std::string::npos) << hints.joined("link");
}

TEST(EarlyHints, AreNotSentForWhatIsAtHandAndForOneSize) {
  Http2Stage stage;
  stage.start();
  const auto hit = stage.peer.get(kThreeSizes, kNavigation);
  stage.settle();
  EXPECT_EQ(stage.response(hit).status, 200);
  EXPECT_TRUE(stage.response(hit).informational.empty());
  stage.backend.hold_orders();
  const auto single = stage.peer.get("/optimux/assets/a?sizes=9", kNavigation);
  const auto head = stage.peer.request("HEAD", kThreeSizes, kNavigation);
  stage.settle();
  EXPECT_EQ(stage.response(single).status, 0);
  EXPECT_EQ(stage.response(head).status, 0);
  stage.backend.hide_facts();
  const auto found = stage.peer.get(kThreeSizes, kNavigation);
  stage.settle();
  for (int i = 0; i < 2; ++i) stage.backend.next_order();
  const auto order = stage.backend.next_order();
  order.renditions[0]->set_found_as(service::CacheOutcome::kDisk);
  order.renditions[0]->set_facts(sample_facts());
  order.renditions[0]->body()->wake_readers();
  stage.settle();
  EXPECT_EQ(stage.response(found).status, 0) << "it is on disk, and not made";
}

TEST(EarlyHints, AreFollowedByAnErrorWhereTheRenderFails) {
  Http2Stage stage;
  stage.backend.hold_orders();
  stage.start();
  const auto stream = stage.peer.get(kThreeSizes, kNavigation);
  stage.settle();
  const auto order = stage.backend.next_order();
  order.renditions[0]->body()->fail({base::ErrorCode::kLimitExceeded, "too large", ""});
  stage.settle();
  EXPECT_EQ(stage.response(stream).status, 422);
  EXPECT_EQ(stage.response(stream).informational.size(), 1u);
  EXPECT_FALSE(stage.response(stream).headers.has("link"));
}

TEST(EarlyHints, GoOutOverHttp1WhereAllAreToldSo) {
  RunningServer running(hinting("always"));
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", kThreeSizes);
  const auto hints = client.read_head();
  EXPECT_EQ(hints.status, 103);
  EXPECT_EQ(hints.headers.size(), 2u);
  const auto order = running.backend().next_order();
  start(*order.renditions[0], 9, 9);
  append(*order.renditions[0]->body(), "picture");
  order.renditions[0]->body()->complete();
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "picture");
  EXPECT_EQ(response.headers.joined("Link"), hints.headers.joined("Link"));
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
}

}  // namespace
}  // namespace optimux::server
