#include "source/address_policy.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using Texts = std::vector<std::string>;

bool allows(const AddressPolicy& policy, std::string_view address, std::string_view host = "example.com") {
  return policy.allows(IpAddress::parse(address).value(), host);
}
AddressPolicy policy(const Texts& allowances) {
  return AddressPolicy::make(allowances).value();
}

TEST(AddressPolicyTest, AllowsPublicAddresses) {
  for (const std::string address :
       {"1.1.1.1",         "8.8.8.8",       "9.255.255.255",   "11.0.0.0",     "100.63.255.255",       "100.128.0.0",
        "126.255.255.255", "128.0.0.0",     "169.253.255.255", "169.255.0.0",  "172.15.255.255",       "172.32.0.0",
        "192.0.1.0",       "192.0.3.0",     "192.167.255.255", "192.169.0.0",  "198.17.255.255",       "198.20.0.0",
        "223.255.255.255", "168.63.129.15", "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "2001:200::1",
        "3ffe::1",         "2620:fe::fe"}) {
    EXPECT_TRUE(allows(AddressPolicy(), address)) << address;
  }
}

TEST(AddressPolicyTest, RefusesEveryOtherIpv4Block) {
  for (const std::string address :
       {"0.0.0.0",         "0.255.255.255",  "10.0.0.0",        "10.255.255.255", "100.64.0.0",      "100.100.100.200",
        "100.127.255.255", "127.0.0.1",      "127.255.255.255", "169.254.0.0",    "169.254.169.254", "169.254.255.255",
        "172.16.0.0",      "172.31.255.255", "192.0.0.0",       "192.0.0.192",    "192.0.0.255",     "192.0.2.1",
        "192.88.99.1",     "192.168.0.0",    "192.168.255.255", "198.18.0.0",     "198.19.255.255",  "198.51.100.7",
        "203.0.113.7",     "224.0.0.1",      "239.255.255.255", "240.0.0.0",      "255.255.255.255", "168.63.129.16"}) {
    EXPECT_FALSE(allows(AddressPolicy(), address)) << address;
  }
}

TEST(AddressPolicyTest, RefusesIpv6ThatIsNotGlobalUnicast) {
  for (const std::string address : {"::",          "::1",        "::2",           "::ffff:0:127.0.0.1",
                                    "100::1",      "fc00::1",    "fd00:ec2::254", "fe80::1",
                                    "febf::1",     "fec0::1",    "ff02::1",       "ff0e::1",
                                    "2001:db8::1", "2001:2::1",  "2001:10::1",    "2001:20::1",
                                    "2001:1ff::1", "3fff::1",    "3fff:fff::1",   "4000::1",
                                    "5f00::1",     "64:ff9a::1", "8000::1",       "e000::1"}) {
    EXPECT_FALSE(allows(AddressPolicy(), address)) << address;
  }
}

struct Embedding {
  const char* name;
  const char* loopback;
  const char* private_address;
  const char* metadata;
  const char* public_address;  ///< Null when the form is refused altogether.
};

class EmbeddedAddressTest : public ::testing::TestWithParam<Embedding> {};

TEST_P(EmbeddedAddressTest, ReachesNoFurtherThanTheAddressWithin) {
  const Embedding& form = GetParam();
  EXPECT_FALSE(allows(AddressPolicy(), form.loopback));
  EXPECT_FALSE(allows(AddressPolicy(), form.private_address));
  EXPECT_FALSE(allows(AddressPolicy(), form.metadata));
  if (form.public_address != nullptr) {
    EXPECT_TRUE(allows(AddressPolicy(), form.public_address));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, EmbeddedAddressTest,
    ::testing::Values(
        Embedding{"Mapped", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8"},
        Embedding{"Compatible", "::127.0.0.1", "::10.0.0.1", "::169.254.169.254", nullptr},
        Embedding{"SixToFour", "2002:7f00:1::1", "2002:a00:1::1", "2002:a9fe:a9fe::1", "2002:808:808::1"},
        Embedding{"Nat64", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::8.8.8.8"},
        Embedding{"Nat64Local", "64:ff9b:1::127.0.0.1", "64:ff9b:1:a00:0:100::", "64:ff9b:1::169.254.169.254", nullptr},
        // The client's address is written inverted behind the server's.
        Embedding{"Teredo", "2001:0:808:808::80ff:fffe", "2001:0:808:808::f5ff:fffe", "2001:0:808:808::5601:5601",
                  "2001:0:808:808::f7f7:f7f7"},
        Embedding{"TeredoServer", "2001:0:7f00:1::f7f7:f7f7", "2001:0:a00:1::f7f7:f7f7", "2001:0:a9fe:a9fe::f7f7:f7f7",
                  nullptr},
        Embedding{"Isatap", "2a00::5efe:127.0.0.1", "2a00::5efe:10.0.0.1", "2a00::5efe:169.254.169.254",
                  "2a00::5efe:8.8.8.8"},
        Embedding{"IsatapUniversal", "2a00::200:5efe:127.0.0.1", "2a00::200:5efe:10.0.0.1",
                  "2a00::200:5efe:169.254.169.254", "2a00::200:5efe:8.8.8.8"},
        Embedding{"IsatapLinkLocal", "fe80::5efe:127.0.0.1", "fe80::5efe:10.0.0.1", "fe80::5efe:169.254.169.254",
                  nullptr}),
    [](const auto& form) { return form.param.name; });

/// One address of each block of IPv4 that is not globally reachable, as four bytes.
constexpr std::array<std::array<int, 4>, 16> kSpecialAddresses = {{{0, 0, 0, 0},
                                                                   {0, 1, 2, 3},
                                                                   {10, 1, 2, 3},
                                                                   {100, 64, 0, 1},
                                                                   {127, 0, 0, 1},
                                                                   {169, 254, 169, 254},
                                                                   {172, 31, 255, 255},
                                                                   {192, 0, 0, 170},
                                                                   {192, 0, 2, 1},
                                                                   {192, 168, 1, 1},
                                                                   {198, 18, 0, 1},
                                                                   {198, 51, 100, 1},
                                                                   {203, 0, 113, 1},
                                                                   {224, 0, 0, 1},
                                                                   {240, 0, 0, 1},
                                                                   {255, 255, 255, 255}}};

std::string group(int high, int low) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%x", high * 256 + low);
  return text.data();
}

/// Every way in which an IPv6 address can hold the IPv4 address `a`.
Texts forms_of(const std::array<int, 4>& a) {
  const std::string high = group(a[0], a[1]);
  const std::string low = group(a[2], a[3]);
  const std::string inverted = group(255 - a[0], 255 - a[1]) + ":" + group(255 - a[2], 255 - a[3]);
  const std::string plain = high + ":" + low;
  return {"::ffff:" + plain,      // IPv4-mapped (RFC 4291, 2.5.5.2)
          "::" + plain,           // IPv4-compatible (RFC 4291, 2.5.5.1)
          "::ffff:0:" + plain,    // IPv4-translated (RFC 2765)
          "64:ff9b::" + plain,    // NAT64, the well-known prefix (RFC 6052)
          "64:ff9b:1::" + plain,  // NAT64, local use (RFC 8215)
          "64:ff9b:1:" + high + ":" + group(0, a[2]) + ":" + group(a[3], 0) + "::",
          "2002:" + plain + "::1",            // 6to4 (RFC 3056)
          "2002:808:808::5efe:" + plain,      // ISATAP below 6to4 with a public address
          "2001:0:808:808::" + inverted,      // Teredo, the client (RFC 4380)
          "2001:0:" + plain + "::f7f7:f7f7",  // Teredo, the server
          "2a00::5efe:" + plain,              // ISATAP (RFC 5214)
          "2a00::200:5efe:" + plain,
          "fe80::5efe:" + plain};
}

TEST(AddressPolicyTest, NoFormOfIpv6ReachesASpecialAddressOfIpv4) {
  for (const auto& address : kSpecialAddresses) {
    for (const std::string& form : forms_of(address)) EXPECT_FALSE(allows(AddressPolicy(), form)) << form;
  }
}

TEST(AddressPolicyTest, TheFormsOfAPublicAddressThatLeadAnywhereAreAllowed) {
  int allowed = 0;
  for (const std::string& form : forms_of({8, 8, 4, 4})) allowed += allows(AddressPolicy(), form) ? 1 : 0;
  // Mapped, NAT64, 6to4, ISATAP below 6to4, Teredo as client and as server, ISATAP twice.
  EXPECT_EQ(allowed, 8);
}

TEST(AddressPolicyTest, RefusesLinkLocalIsatapWithAPublicAddress) {
  EXPECT_FALSE(allows(AddressPolicy(), "fe80::5efe:8.8.8.8"));
}

TEST(AddressPolicyTest, ABlockAllowsItsAddressesToEveryHost) {
  const AddressPolicy allowing = policy({"127.0.0.0/8", "fd00::/8"});
  EXPECT_TRUE(allows(allowing, "127.0.0.1"));
  EXPECT_TRUE(allows(allowing, "::ffff:127.0.0.1"));
  EXPECT_TRUE(allows(allowing, "fd00::1"));
  EXPECT_FALSE(allows(allowing, "10.0.0.1"));
  EXPECT_FALSE(allows(allowing, "::1"));
  EXPECT_TRUE(allows(allowing, "8.8.8.8"));
}

TEST(AddressPolicyTest, ABlockAllowsTheAddressWithinAnEmbeddingToo) {
  EXPECT_TRUE(allows(policy({"10.0.0.0/8"}), "64:ff9b::10.0.0.1"));
  EXPECT_FALSE(allows(policy({"10.0.0.0/8"}), "64:ff9b::127.0.0.1"));
  EXPECT_TRUE(allows(policy({"64:ff9b:1::/48"}), "64:ff9b:1::127.0.0.1"));
}

TEST(AddressPolicyTest, ANameAllowsWhatItResolvesToForItselfAlone) {
  const AddressPolicy allowing = policy({"Media.Internal."});
  EXPECT_TRUE(allows(allowing, "10.0.0.1", "media.internal"));
  EXPECT_TRUE(allows(allowing, "10.0.0.1", "media.internal."));
  EXPECT_TRUE(allows(allowing, "::1", "media.internal"));
  EXPECT_FALSE(allows(allowing, "10.0.0.1", "sub.media.internal"));
  EXPECT_FALSE(allows(allowing, "10.0.0.1", "media.internal.evil"));
  EXPECT_FALSE(allows(allowing, "10.0.0.1", "internal"));
  EXPECT_FALSE(allows(allowing, "10.0.0.1", ""));
  EXPECT_TRUE(allows(allowing, "8.8.8.8", "other"));
}

TEST(AddressPolicyTest, NamesTheEntryThatCannotBeRead) {
  for (const std::string entry : {"", ".", "10.0.0.0/33", "10.0.0.1/8", "10/8", "127.1", "0x7f.0x1", "a/b", "http://h",
                                  "h:80", "*.example.com", "a..b", "[::1]", "host name", "127.0.0.1:9000"}) {
    const auto made = AddressPolicy::make({"10.0.0.0/8", entry});
    ASSERT_FALSE(made) << entry;
    EXPECT_EQ(made.error().code, base::ErrorCode::kInvalidParameter);
    EXPECT_NE(made.error().detail.find("allow_source '" + entry + "'"), std::string::npos) << made.error().detail;
  }
}

TEST(AddressPolicyTest, TellsTheLogWhy) {
  EXPECT_EQ(AddressPolicy().refusal(IpAddress::parse("10.0.0.1").value(), "h"), "10.0.0.1 is private (RFC 1918)");
  EXPECT_EQ(AddressPolicy().refusal(IpAddress::parse("64:ff9b::10.0.0.1").value(), "h"),
            "64:ff9b::a00:1 leads to 10.0.0.1 is private (RFC 1918)");
}

}  // namespace
}  // namespace optimux::source
