#include "http/http2_opening.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

Request upgrade_request() {
  Request request;
  request.method = "GET";
  request.target = "/";
  request.headers = {{"Host", "a"},
                     {"Connection", "Upgrade, HTTP2-Settings"},
                     {"Upgrade", "h2c"},
                     {"HTTP2-Settings", "AAMAAABkAAQAAP__"}};
  return request;
}

TEST(Http2Opening, PrefaceIsFoundAtEveryCut) {
  for (std::size_t size = 0; size < kHttp2Preface.size(); ++size) {
    EXPECT_EQ(match_http2_preface(kHttp2Preface.substr(0, size)), PrefaceMatch::kBegun) << size;
  }
  EXPECT_EQ(match_http2_preface(kHttp2Preface), PrefaceMatch::kWhole);
  EXPECT_EQ(match_http2_preface(std::string(kHttp2Preface) + "more"), PrefaceMatch::kWhole);
}

TEST(Http2Opening, WhatDiffersFromThePrefaceIsNone) {
  for (std::size_t i = 0; i < kHttp2Preface.size(); ++i) {
    std::string other(kHttp2Preface);
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_EQ(match_http2_preface(other), PrefaceMatch::kNone) << i;
    EXPECT_EQ(match_http2_preface(std::string_view(other).substr(0, i + 1)), PrefaceMatch::kNone) << i;
  }
}

TEST(Http2Opening, UpgradeGivesTheSettings) {
  const auto settings = read_h2c_upgrade(upgrade_request());
  ASSERT_TRUE(settings);
  EXPECT_EQ(*settings, std::string("\0\3\0\0\0d\0\4\0\0\xff\xff", 12));  // 100 streams, a window of 65,535.
}

TEST(Http2Opening, NamesAreComparedInAnyCaseAndListsMayHaveMore) {
  Request request = upgrade_request();
  request.headers.set("Upgrade", "websocket, H2C");
  request.headers.set("Connection", "keep-alive, upgrade, http2-settings");
  EXPECT_TRUE(read_h2c_upgrade(request));
}

TEST(Http2Opening, EmptySettingsAreSettings) {
  Request request = upgrade_request();
  request.headers.set("HTTP2-Settings", "");
  EXPECT_EQ(read_h2c_upgrade(request), std::string());
}

TEST(Http2Opening, UpgradeIsNotGrantedWithout) {
  for (const char* name : {"Connection", "Upgrade", "HTTP2-Settings"}) {
    Request request = upgrade_request();
    request.headers.remove(name);
    EXPECT_FALSE(read_h2c_upgrade(request)) << name;
  }
  for (const char* connection : {"Upgrade", "HTTP2-Settings", "close"}) {
    Request request = upgrade_request();
    request.headers.set("Connection", connection);
    EXPECT_FALSE(read_h2c_upgrade(request)) << connection;
  }
  Request other = upgrade_request();
  other.headers.set("Upgrade", "h2");
  EXPECT_FALSE(read_h2c_upgrade(other));
  Request old = upgrade_request();
  old.minor_version = 0;
  EXPECT_FALSE(read_h2c_upgrade(old));
}

TEST(Http2Opening, UpgradeIsNotGrantedToRequestsWithABody) {
  Request counted = upgrade_request();
  counted.headers.add("Content-Length", "1");
  EXPECT_FALSE(read_h2c_upgrade(counted));
  Request chunked = upgrade_request();
  chunked.headers.add("Transfer-Encoding", "chunked");
  EXPECT_FALSE(read_h2c_upgrade(chunked));
  Request empty = upgrade_request();
  empty.headers.add("Content-Length", "0");
  EXPECT_TRUE(read_h2c_upgrade(empty));
}

TEST(Http2Opening, SettingsThatAreNoneAreNotTaken) {
  // Half an entry, a foreign alphabet, padding, a digit too many.
  for (const char* settings : {"AAMAAA", "AAMAAABkAAQAAP//", "AAMAAABkAAQAAP==", "AAMAAABkA"}) {
    Request request = upgrade_request();
    request.headers.set("HTTP2-Settings", settings);
    EXPECT_FALSE(read_h2c_upgrade(request)) << settings;
  }
  Request twice = upgrade_request();
  twice.headers.add("HTTP2-Settings", "AAMAAABk");
  EXPECT_FALSE(read_h2c_upgrade(twice));
}

}  // namespace
}  // namespace optimux::http
