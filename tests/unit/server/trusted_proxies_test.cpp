#include "server/trusted_proxies.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

TrustedProxies proxies(const std::vector<std::string>& entries, std::string_view header = "x-forwarded-for") {
  return TrustedProxies::make(entries, header).value();
}

std::string client(const TrustedProxies& trusted, const std::string& peer, const std::string& list) {
  return trusted.client_of(peer, {{"X-Forwarded-For", list}});
}

TEST(TrustedProxiesTest, NobodyIsBelievedByDefault) {
  EXPECT_EQ(client(TrustedProxies(), "10.0.0.1", "1.2.3.4"), "10.0.0.1");
  EXPECT_EQ(client(proxies({"10.0.0.0/8"}), "192.0.2.1", "1.2.3.4"), "192.0.2.1");
  EXPECT_EQ(client(proxies({"10.0.0.0/8"}), "unix", "1.2.3.4"), "unix");
}

TEST(TrustedProxiesTest, TheLastOneThatIsNoProxyIsTheClient) {
  const TrustedProxies trusted = proxies({"10.0.0.0/8", "fd00::/8"});
  EXPECT_EQ(client(trusted, "10.0.0.1", "1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(client(trusted, "10.0.0.1", "6.6.6.6, 1.2.3.4"), "1.2.3.4") << "the first one is what the client says";
  EXPECT_EQ(client(trusted, "10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2 ,fd00::7"), "1.2.3.4");
  EXPECT_EQ(client(trusted, "fd00::1", "2001:db8::9"), "2001:db8::9");
}

TEST(TrustedProxiesTest, WhereTheListEndsItIsTheFirstProxy) {
  const TrustedProxies trusted = proxies({"10.0.0.0/8"});
  EXPECT_EQ(client(trusted, "10.0.0.1", "10.0.0.3, 10.0.0.2"), "10.0.0.3");
  EXPECT_EQ(client(trusted, "10.0.0.1", ""), "10.0.0.1");
  EXPECT_EQ(trusted.client_of("10.0.0.1", {}), "10.0.0.1");
}

TEST(TrustedProxiesTest, WhatCannotBeReadEndsTheList) {
  const TrustedProxies trusted = proxies({"10.0.0.0/8"});
  for (const char* rubbish : {"unknown", "_hidden", "1.2.3", "1.2.3.4.5", "[", "[]", "[::1", "a:b", "\"", ":", ",,"}) {
    EXPECT_EQ(client(trusted, "10.0.0.1", std::string("6.6.6.6, ") + rubbish + ", 10.0.0.2"), "10.0.0.2") << rubbish;
  }
}

TEST(TrustedProxiesTest, PortsAndBracketsAreTakenOff) {
  const TrustedProxies trusted = proxies({"10.0.0.1"});
  EXPECT_EQ(client(trusted, "10.0.0.1", "1.2.3.4:5678"), "1.2.3.4");
  EXPECT_EQ(client(trusted, "10.0.0.1", "[2001:db8::9]:5678"), "2001:db8::9");
  EXPECT_EQ(client(trusted, "10.0.0.1", "[2001:db8::9]"), "2001:db8::9");
  EXPECT_EQ(client(trusted, "10.0.0.1", "2001:DB8:0::9"), "2001:db8::9");
}

TEST(TrustedProxiesTest, SeveralFieldsAreOneList) {
  const TrustedProxies trusted = proxies({"10.0.0.0/8"});
  EXPECT_EQ(trusted.client_of("10.0.0.1", {{"x-forwarded-for", "6.6.6.6"}, {"X-Forwarded-For", "1.2.3.4"}}), "1.2.3.4");
}

TEST(TrustedProxiesTest, WhatStandsInQuotesIsOneValue) {
  const TrustedProxies trusted = proxies({"10.0.0.1"}, "forwarded");
  for (const char* list : {R"(for=1.2.3.4;host="x,for=9.9.9.9;y=";proto=https)", R"(host="a;for=9.9.9.9";for=1.2.3.4)",
                           R"(for=1.2.3.4;host="a\",for=9.9.9.9;b=")", R"(for=8.8.8.8, host="x,\\";for="1.2.3.4")"}) {
    EXPECT_EQ(trusted.client_of("10.0.0.1", {{"Forwarded", list}}), "1.2.3.4") << list;
  }
  for (const char* list : {R"(for=1.2.3.4;host="x,for=9.9.9.9)", R"(for=1.2.3.4;host="x\)"}) {
    EXPECT_NE(trusted.client_of("10.0.0.1", {{"Forwarded", list}}), "9.9.9.9") << list;
  }
}

TEST(TrustedProxiesTest, UnixSocketsAreTrustedByTheirName) {
  EXPECT_EQ(client(proxies({"unix"}), "unix", "1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(client(proxies({"unix"}), "10.0.0.1", "1.2.3.4"), "10.0.0.1");
}

TEST(TrustedProxiesTest, OnlyTheFieldThatTheProxyWritesIsRead) {
  const http::Headers both = {{"X-Forwarded-For", "6.6.6.6"}, {"Forwarded", "for=1.2.3.4"}};
  EXPECT_EQ(proxies({"10.0.0.1"}, "forwarded").client_of("10.0.0.1", both), "1.2.3.4");
  EXPECT_EQ(proxies({"10.0.0.1"}).client_of("10.0.0.1", both), "6.6.6.6");
}

TEST(TrustedProxiesTest, ReadsForwarded) {
  const TrustedProxies trusted = proxies({"10.0.0.0/8"}, "forwarded");
  const auto client_of = [&](const std::string& value) {
    return trusted.client_of("10.0.0.1", {{"Forwarded", value}});
  };
  EXPECT_EQ(client_of("for=6.6.6.6, for=1.2.3.4;proto=https;by=10.0.0.1"), "1.2.3.4");
  EXPECT_EQ(client_of("by=10.0.0.1; For=\"[2001:db8::9]:80\""), "2001:db8::9");
  EXPECT_EQ(client_of("for=1.2.3.4, proto=https"), "10.0.0.1");
  EXPECT_EQ(client_of("for=1.2.3.4, for=_secret"), "10.0.0.1");
}

TEST(TrustedProxiesTest, NamesWhatCannotBeRead) {
  const auto wrong = TrustedProxies::make({"10.0.0.0/8", "proxy.example"}, "x-forwarded-for");
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().detail.starts_with("trusted_proxies: 'proxy.example'")) << wrong.error().detail;
  const auto header = TrustedProxies::make({}, "x-real-ip");
  ASSERT_FALSE(header);
  EXPECT_TRUE(header.error().detail.starts_with("forwarded_header: 'x-real-ip'")) << header.error().detail;
}

}  // namespace
}  // namespace optimux::server
