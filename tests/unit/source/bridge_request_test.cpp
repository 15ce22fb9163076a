#include "source/bridge_request.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

constexpr std::uint64_t kSize = 1000;
const std::string kSecret = "Basic c2VjcmV0";

std::string head(const std::string& first_line, const std::string& fields = "") {
  return first_line + "\r\nProxy-Authorization: " + kSecret + "\r\n" + fields + "\r\n";
}

tl::expected<BridgeRequest, int> read(const std::string& text, std::uint64_t size = kSize) {
  return read_bridge_request(text, kSecret, size);
}

int status_of(const std::string& text, std::uint64_t size = kSize) {
  const auto request = read(text, size);
  return request ? 200 : request.error();
}

std::string get(const std::string& fields) {
  return head("GET http://input/media HTTP/1.1", fields);
}

TEST(BridgeRequest, IsReadAsFfmpegSendsIt) {
  const auto request = read(
      "GET http://input:80/media HTTP/1.1\r\nUser-Agent: Lavf/59.27.100\r\nAccept: */*\r\nRange: bytes=600-\r\n"
      "Connection: close\r\nHost: input\r\nIcy-MetaData: 1\r\nProxy-Authorization: " +
      kSecret + "\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->is_head);
  EXPECT_FALSE(request->is_persistent);
  EXPECT_TRUE(request->is_part);
  EXPECT_EQ(request->range, (ByteRange{600, 400}));
}

TEST(BridgeRequest, WithoutARangeItIsTheWhole) {
  const auto request = read(get(""));
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->is_persistent);
  EXPECT_FALSE(request->is_part);
  EXPECT_EQ(request->range, (ByteRange{0, kSize}));
  EXPECT_TRUE(read(head("HEAD http://input/media HTTP/1.1"))->is_head);
  EXPECT_FALSE(read(head("GET http://input/media HTTP/1.0"))->is_persistent);
}

TEST(BridgeRequest, RangesAreBroughtWithinTheFile) {
  const auto range_of = [](const std::string& value) { return read(get("Range: bytes=" + value + "\r\n"))->range; };
  EXPECT_EQ(range_of("0-"), (ByteRange{0, 1000}));
  EXPECT_EQ(range_of("0-0"), (ByteRange{0, 1}));
  EXPECT_EQ(range_of("999-999"), (ByteRange{999, 1}));
  EXPECT_EQ(range_of("10-5000"), (ByteRange{10, 990}));
  EXPECT_EQ(range_of("10-18446744073709551615"), (ByteRange{10, 990}));
  EXPECT_EQ(range_of("-1"), (ByteRange{999, 1}));
  EXPECT_EQ(range_of("-5000"), (ByteRange{0, 1000}));
}

TEST(BridgeRequest, RangesThatAreNoSingleOneOfBytesAreRefused) {
  for (const char* value :
       {"bytes=0-10,5-15", "bytes=0-1,2-3", "bytes=5-4", "bytes=-", "bytes=", "bytes=a-b", "bytes=1", "items=0-1",
        "bytes=+1-2", "bytes=1-2-3", "bytes= 1-2", "bytes=18446744073709551616-", "bytes=--1", "0-1"}) {
    EXPECT_EQ(status_of(get("Range: " + std::string(value) + "\r\n")), 400) << value;
  }
  EXPECT_EQ(status_of(get("Range: bytes=0-1\r\nRange: bytes=0-1\r\n")), 400);
}

TEST(BridgeRequest, RangesWithoutAByteOfTheFileCannotBeHad) {
  for (const char* value : {"bytes=1000-", "bytes=1000-2000", "bytes=-0", "bytes=18446744073709551615-"}) {
    EXPECT_EQ(status_of(get("Range: " + std::string(value) + "\r\n")), 416) << value;
  }
  EXPECT_EQ(status_of(get("Range: bytes=0-\r\n"), 0), 416);
  EXPECT_EQ(status_of(get("Range: bytes=-1\r\n"), 0), 416);
  EXPECT_EQ(status_of(get(""), 0), 200);
}

TEST(BridgeRequest, WithoutTheSecretNothingElseIsLookedAt) {
  for (const std::string authorization :
       {"", "Proxy-Authorization:\r\n", "Proxy-Authorization: Basic c2VjcmVu\r\n", "Proxy-Authorization: Basic\r\n",
        "Proxy-Authorization: basic c2VjcmV0\r\n", "Proxy-Authorization: Basic c2VjcmV0x\r\n",
        "Authorization: Basic c2VjcmV0\r\n"}) {
    for (const char* line : {"GET http://input/media HTTP/1.1", "CONNECT input:80 HTTP/1.1", "GET / HTTP/1.1",
                             "DELETE http://elsewhere/ HTTP/1.1"}) {
      EXPECT_EQ(status_of(std::string(line) + "\r\n" + authorization + "\r\n"), 407) << line << " " << authorization;
    }
  }
  EXPECT_EQ(status_of(get("Proxy-Authorization: " + kSecret + "\r\n")), 400) << "twice";
}

TEST(BridgeRequest, OneUrlIsServedAndNoOther) {
  for (const char* target : {"http://input/", "http://input/media/", "http://input/media?x", "http://input/media#x",
                             "http://input.test/media", "http://127.0.0.1/media", "http://input:81/media",
                             "https://input/media", "HTTP://input/media", "/media", "*", "http://job@input/media",
                             "http://input/../media", "http://input/%6dedia", "file:///etc/passwd"}) {
    EXPECT_EQ(status_of(head("GET " + std::string(target) + " HTTP/1.1")), 403) << target;
  }
}

TEST(BridgeRequest, NothingButReadingIsServed) {
  for (const char* line : {"CONNECT input:80 HTTP/1.1", "POST http://input/media HTTP/1.1",
                           "get http://input/media HTTP/1.1", "OPTIONS * HTTP/1.1"}) {
    EXPECT_EQ(status_of(head(line)), 405) << line;
  }
  EXPECT_EQ(status_of(get("Content-Length: 5\r\n")), 400);
  EXPECT_EQ(status_of(get("Transfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(status_of(get("Content-Length: 0\r\n")), 200);
}

TEST(BridgeRequest, WhatIsNoRequestIsRefused) {
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), head("GET http://input/media"),
        head("GET  http://input/media HTTP/1.1"), head("GET http://input/media HTTP/2"),
        head("GET http://input/media HTTP/1.1 x"), get("no colon\r\n"), get(": nameless\r\n"),
        get("Range : bytes=0-1\r\n"), get(" folded: line\r\n"), get(std::string("X: a\0b\r\n", 8)), get("X: a\x7f\r\n"),
        std::string("GET http://input/media HTTP/1.1\nProxy-Authorization: " + kSecret + "\n\r\n\r\n")}) {
    EXPECT_EQ(status_of(text), 400) << text;
  }
}

TEST(BridgeRequest, AnswersSayWhatIsSent) {
  EXPECT_EQ(bridge_answer_head({.is_part = true, .range = {600, 400}}, kSize),
            "HTTP/1.1 206 Partial Content\r\nContent-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\n"
            "Content-Range: bytes 600-999/1000\r\nContent-Length: 400\r\n\r\n");
  EXPECT_EQ(bridge_answer_head({.range = {0, 1000}}, kSize),
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\n"
            "Content-Length: 1000\r\n\r\n");
}

TEST(BridgeRequest, RefusalsSayHowToDoBetter) {
  EXPECT_EQ(bridge_refusal(407, kSize),
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"input\"\r\n"
            "Content-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_NE(bridge_refusal(416, kSize).find("Content-Range: bytes */1000\r\n"), std::string::npos);
  EXPECT_NE(bridge_refusal(405, kSize).find("Allow: GET, HEAD\r\n"), std::string::npos);
  for (const int status : {400, 403, 431}) {
    EXPECT_EQ(bridge_refusal(status, kSize).substr(0, 12), "HTTP/1.1 " + std::to_string(status));
  }
}

}  // namespace
}  // namespace optimux::source
