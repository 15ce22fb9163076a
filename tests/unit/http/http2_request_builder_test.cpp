#include "http/http2_request_builder.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

const RequestLimits kLimits{
    .max_uri_bytes = 32, .max_header_bytes = 1'000, .max_header_fields = 3, .max_body_bytes = 8};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Http2RequestBuilder, PutsARequestTogether) {
  Http2RequestBuilder builder(kLimits);
  builder.add_field(":method", "POST");
  builder.add_field(":scheme", "https");
  builder.add_field(":authority", "example.org:8443");
  builder.add_field(":path", "/a?b");
  builder.add_field("accept", "  image/webp ");
  EXPECT_FALSE(builder.has_head());
  builder.finish_head();
  EXPECT_TRUE(builder.has_head());
  builder.add_body(bytes_of("1234"));
  builder.add_body(bytes_of("5678"));
  EXPECT_FALSE(builder.refusal().has_value());
  const Request request = builder.take();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a?b");
  EXPECT_EQ(request.body, "12345678");
  EXPECT_EQ(request.headers.find("Host"), "example.org:8443");
  EXPECT_EQ(request.headers.find("Accept"), "image/webp");
  EXPECT_EQ(request.headers.size(), 2u);
}

TEST(Http2RequestBuilder, DropsBodiesThatMeanNothingButCountsThem) {
  Http2RequestBuilder builder(kLimits);
  builder.add_field(":method", "GET");
  builder.add_field(":authority", "a");
  builder.add_field(":path", "/");
  builder.finish_head();
  builder.add_body(bytes_of("12345678"));
  EXPECT_EQ(builder.request().body, "");
  EXPECT_FALSE(builder.refusal().has_value());
  builder.add_body(bytes_of("9"));
  EXPECT_EQ(builder.refusal()->code, base::ErrorCode::kBodyTooLarge);
  EXPECT_EQ(builder.refusal()->detail, "the request body is longer than max_body_bytes (8B)");
}

TEST(Http2RequestBuilder, CookiesAreNoFieldsButBytes) {
  Http2RequestBuilder builder(kLimits);
  builder.add_field(":method", "GET");
  for (int i = 0; i < 15; ++i) builder.add_field("cookie", "a=b");
  EXPECT_FALSE(builder.refusal().has_value());
  EXPECT_EQ(builder.request().headers.size(), 0u);
  for (int i = 0; i < 15; ++i) builder.add_field("cookie", "a=b");
  EXPECT_EQ(builder.refusal()->code, base::ErrorCode::kHeadersTooLarge);
}

TEST(Http2RequestBuilder, AnAuthorityIsAHost) {
  for (const char* authority : {"user@host", "a b", "a/b", "a,b"}) {
    Http2RequestBuilder builder(kLimits);
    builder.add_field(":method", "GET");
    builder.add_field(":authority", authority);
    builder.add_field(":path", "/");
    builder.finish_head();
    ASSERT_TRUE(builder.refusal().has_value()) << authority;
    EXPECT_EQ(builder.refusal()->code, base::ErrorCode::kMalformedRequest);
  }
}

TEST(Http2RequestBuilder, ARefusedRequestHoldsNothingAndTakesNothing) {
  Http2RequestBuilder builder(kLimits);
  builder.add_field(":method", "HEAD");
  builder.add_field("x", std::string(900, 'x'));
  builder.refuse({base::ErrorCode::kOverloaded, "first", {}});
  builder.refuse({base::ErrorCode::kInternal, "second", {}});
  builder.add_field("y", std::string(5'000, 'y'));
  builder.finish_head();
  builder.add_body(bytes_of("0123456789"));
  EXPECT_EQ(builder.refusal()->detail, "first");
  EXPECT_EQ(builder.held_bytes(), 4u);  // The method, which an answer has to know.
  EXPECT_TRUE(builder.is_head());
}

}  // namespace
}  // namespace optimux::http
