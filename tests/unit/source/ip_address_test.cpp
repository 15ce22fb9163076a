#include "source/ip_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

IpAddress address(std::string_view text) {
  return IpAddress::parse(text).value();
}

TEST(IpAddressTest, ReadsAndWritesBothFamilies) {
  for (const std::string text : {"0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1", "2001:db8::1", "fe80::1:2"}) {
    EXPECT_EQ(address(text).text(), text);
  }
  EXPECT_TRUE(address("1.2.3.4").is_v4());
  EXPECT_FALSE(address("::1.2.3.4").is_v4());
}

TEST(IpAddressTest, TheMappedFormIsTheAddressItself) {
  EXPECT_EQ(address("::ffff:10.1.2.3"), address("10.1.2.3"));
  EXPECT_EQ(address("::FFFF:0A01:0203"), address("10.1.2.3"));
  EXPECT_NE(address("::fffe:10.1.2.3"), address("10.1.2.3"));
  EXPECT_NE(address("::10.1.2.3"), address("10.1.2.3"));
}

TEST(IpAddressTest, TakesNothingElse) {
  for (const std::string text : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433",
                                 "[::1]", "fe80::1%eth0", " 1.2.3.4", "1.2.3.4 ", "localhost", ":::", "1::2::3"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0x", 9)));
}

TEST(IpAddressTest, ReadsSocketAddresses) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x7F000001);
  EXPECT_EQ(IpAddress::from_socket_address(reinterpret_cast<const sockaddr&>(v4)), address("127.0.0.1"));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  ASSERT_EQ(inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr), 1);
  EXPECT_EQ(IpAddress::from_socket_address(reinterpret_cast<const sockaddr&>(v6)), address("127.0.0.1"));
  ASSERT_EQ(inet_pton(AF_INET6, "fc00::1", &v6.sin6_addr), 1);
  EXPECT_EQ(IpAddress::from_socket_address(reinterpret_cast<const sockaddr&>(v6)), address("fc00::1"));
  sockaddr_un unix_address{};
  unix_address.sun_family = AF_UNIX;
  EXPECT_FALSE(IpAddress::from_socket_address(reinterpret_cast<const sockaddr&>(unix_address)));
}

bool contains(std::string_view network, std::string_view inner) {
  return IpNetwork::parse(network).value().contains(address(inner));
}

TEST(IpNetworkTest, ContainsItsAddressesAndNoOthers) {
  EXPECT_TRUE(contains("10.0.0.0/8", "10.0.0.0"));
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_FALSE(contains("10.0.0.0/8", "9.255.255.255"));
  EXPECT_TRUE(contains("172.16.0.0/12", "172.31.255.255"));
  EXPECT_FALSE(contains("172.16.0.0/12", "172.32.0.0"));
  EXPECT_TRUE(contains("0.0.0.0/0", "8.8.8.8"));
  EXPECT_TRUE(contains("fc00::/7", "fdff:ffff::1"));
  EXPECT_FALSE(contains("fc00::/7", "fe00::"));
  EXPECT_TRUE(contains("1.2.3.4", "1.2.3.4"));
  EXPECT_FALSE(contains("1.2.3.4", "1.2.3.5"));
}

TEST(IpNetworkTest, KeepsTheFamiliesApart) {
  EXPECT_FALSE(contains("::/0", "1.2.3.4"));
  EXPECT_FALSE(contains("0.0.0.0/0", "::1.2.3.4"));
  EXPECT_TRUE(contains("::ffff:10.0.0.0/104", "10.1.2.3"));
  EXPECT_FALSE(contains("::ffff:10.0.0.0/104", "11.1.2.3"));
  EXPECT_TRUE(contains("10.0.0.0/8", "::ffff:10.1.2.3"));
}

TEST(IpNetworkTest, RefusesWhatIsNoBlockAndNamesIt) {
  for (const std::string text :
       {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.1/8", "10/8", "::/129", "fc00::1/7",
        "::ffff:0:0/95", "host", "10.0.0.0/8/8", "10.0.0.0/ 8"}) {
    const auto network = IpNetwork::parse(text);
    ASSERT_FALSE(network) << text;
    EXPECT_EQ(network.error().code, base::ErrorCode::kInvalidParameter);
    EXPECT_NE(network.error().detail.find("'" + text + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace optimux::source
