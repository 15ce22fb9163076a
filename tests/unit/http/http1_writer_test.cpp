#include "http/http1_writer.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

Request request(std::string method, int minor_version = 1) {
  Request result;
  result.method = std::move(method);
  result.minor_version = minor_version;
  return result;
}

TEST(Http1Writer, FramingFollowsMethodVersionAndStatus) {
  const ResponseHead known{200, {}, 5};
  const ResponseHead unknown{200, {}, std::nullopt};
  EXPECT_EQ(choose_framing(request("GET"), known), Framing::kLength);
  EXPECT_EQ(choose_framing(request("GET"), unknown), Framing::kChunked);
  EXPECT_EQ(choose_framing(request("GET", 0), known), Framing::kLength);
  EXPECT_EQ(choose_framing(request("GET", 0), unknown), Framing::kUntilClose);
  EXPECT_EQ(choose_framing(request("HEAD"), known), Framing::kNone);
  EXPECT_EQ(choose_framing(request("HEAD"), unknown), Framing::kNone);
  EXPECT_EQ(choose_framing(request("GET"), ResponseHead{304, {}, 0}), Framing::kNone);
  EXPECT_EQ(choose_framing(request("POST"), ResponseHead{204, {}, 0}), Framing::kNone);
}

TEST(Http1Writer, WritesAHead) {
  const ResponseHead head{200, {{"Content-Type", "image/webp"}}, 7};
  EXPECT_EQ(write_head(head, {.date = "today"}),
            "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: image/webp\r\nContent-Length: 7\r\n\r\n");
}

TEST(Http1Writer, WritesAHeadBeforeTheLast) {
  EXPECT_EQ(write_informational(kEarlyHints, {{"Link", "</a>"}, {"Link", "</b>"}, {"Bad", "a\r\nb: c"}}),
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n");
}

TEST(Http1Writer, SaysHowTheConnectionGoesOn) {
  const ResponseHead head{200, {}, 0};
  EXPECT_NE(write_head(head, {.keep_alive = false}).find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(write_head(head, {.minor_version = 0}).find("Connection: keep-alive\r\n"), std::string::npos);
  EXPECT_EQ(write_head(head, {}).find("Connection"), std::string::npos);
}

TEST(Http1Writer, ChunkedHeadHasNoLength) {
  const std::string bytes = write_head(ResponseHead{200, {}, std::nullopt}, {.framing = Framing::kChunked});
  EXPECT_NE(bytes.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(bytes.find("Content-Length"), std::string::npos);
}

TEST(Http1Writer, StatusesWithoutABodyHaveNoLength) {
  for (const int status : {204, 304}) {
    EXPECT_EQ(write_head(ResponseHead{status, {}, 0}, {.framing = Framing::kNone}).find("Content-Length"),
              std::string::npos);
  }
}

TEST(Http1Writer, NoValueBecomesAFieldOfItsOwn) {
  ResponseHead head{200, {}, 0};
  head.headers.add("X-Good", "yes");
  head.headers.add("X-Evil", "a\r\nSet-Cookie: b=c");
  head.headers.add("X-Lf", "a\nb");
  head.headers.add("X-Cr", "a\rb");
  head.headers.add("X-Nul", std::string_view("a\0b", 3));
  head.headers.add("Bad Name", "x");
  head.headers.add("Bad:Name", "x");
  head.headers.add("", "x");
  EXPECT_EQ(write_head(head, {}), "HTTP/1.1 200 OK\r\nX-Good: yes\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1Writer, ChunksHaveTheirSizeInHexadecimal) {
  const BodyFrame frame = frame_body(Framing::kChunked, 0xabcdef, false);
  EXPECT_EQ(frame.before, "abcdef\r\n");
  EXPECT_EQ(frame.after, "\r\n");
}

TEST(Http1Writer, OnlyTheEndOfAChunkedBodyIsAnEmptyChunk) {
  EXPECT_EQ(frame_body(Framing::kChunked, 1, true).after, "\r\n0\r\n\r\n");
  EXPECT_EQ(frame_body(Framing::kChunked, 0, true).after, "0\r\n\r\n");
  EXPECT_EQ(frame_body(Framing::kChunked, 0, false).before + frame_body(Framing::kChunked, 0, false).after, "");
  for (const Framing framing : {Framing::kLength, Framing::kUntilClose}) {
    EXPECT_EQ(frame_body(framing, 7, true).before + frame_body(framing, 7, true).after, "");
  }
}

}  // namespace
}  // namespace optimux::http
