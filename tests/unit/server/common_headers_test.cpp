#include "server/common_headers.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

http::Headers fields_for(std::vector<std::string> origins, http::Request request) {
  ServerSettings settings;
  settings.cors_origins = std::move(origins);
  RequestContext context;
  context.id = "id";
  context.settings = std::make_shared<const ServerSettings>(settings);
  http::ResponseHead head;
  if (request.method == "OPTIONS") head.headers.add("Allow", "POST, OPTIONS");
  add_common_headers(head, request, context);
  return head.headers;
}

http::Request from_origin(std::string_view origin, std::string method = "GET") {
  http::Request request;
  request.method = std::move(method);
  if (!origin.empty()) request.headers.add("Origin", origin);
  return request;
}

TEST(CommonHeaders, StandOnEveryAnswer) {
  const auto headers = fields_for({}, from_origin("https://a"));
  EXPECT_EQ(headers.find("X-Request-Id"), "id");
  EXPECT_EQ(headers.find("X-Content-Type-Options"), "nosniff");
  EXPECT_FALSE(headers.has("Access-Control-Allow-Origin"));
  EXPECT_FALSE(headers.has("Vary"));
}

TEST(CommonHeaders, ConfiguredOriginsMayRead) {
  const auto headers = fields_for({"https://a", "https://b"}, from_origin("https://b"));
  EXPECT_EQ(headers.find("Access-Control-Allow-Origin"), "https://b");
  EXPECT_EQ(headers.find("Vary"), "Origin");
  EXPECT_FALSE(headers.has("Access-Control-Allow-Credentials"));
}

TEST(CommonHeaders, OtherOriginsMayNotAndCachesAreTold) {
  for (const auto* const origin : {"", "https://c", "https://a.evil", "null"}) {
    const auto headers = fields_for({"https://a"}, from_origin(origin));
    EXPECT_FALSE(headers.has("Access-Control-Allow-Origin")) << origin;
    EXPECT_EQ(headers.find("Vary"), "Origin");
  }
}

TEST(CommonHeaders, AsteriskIsForAll) {
  const auto headers = fields_for({"*"}, from_origin("https://x"));
  EXPECT_EQ(headers.find("Access-Control-Allow-Origin"), "*");
  EXPECT_FALSE(headers.has("Vary"));
}

TEST(CommonHeaders, PreflightIsAnswered) {
  auto request = from_origin("https://a", "OPTIONS");
  EXPECT_FALSE(fields_for({"*"}, request).has("Access-Control-Allow-Methods"));
  request.headers.add("Access-Control-Request-Method", "POST");
  const auto headers = fields_for({"*"}, request);
  EXPECT_EQ(headers.find("Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_TRUE(headers.has_token("Access-Control-Allow-Headers", "Content-Type"));
  EXPECT_TRUE(headers.has("Access-Control-Max-Age"));
}

TEST(CommonHeaders, VaryIsJoinedOnce) {
  http::Headers headers;
  add_vary(headers, "Accept");
  add_vary(headers, "Origin");
  add_vary(headers, "accept");
  EXPECT_EQ(headers.joined("Vary"), "Accept, Origin");
}

}  // namespace
}  // namespace optimux::server
