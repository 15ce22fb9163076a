#include "apps/optimux/settings/text_form.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

TEST(TextForm, ListenAddresses) {
  for (const char* text :
       {"127.0.0.1:8811", "localhost:0", "[::1]:65535", "*:80", "8811", ":8811", "unix:/run/optimux.sock"}) {
    EXPECT_TRUE(is_listen_address(text)) << text;
  }
  for (const char* text : {"", ":", "65536", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80",
                           "[::g]:80", "a b:80", "example.org:80", "unix:", "http://localhost:80"}) {
    EXPECT_FALSE(is_listen_address(text)) << text;
  }
  EXPECT_TRUE(is_optional_listen_address(""));
}

TEST(TextForm, NetworksAndHosts) {
  for (const char* text : {"10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "example.org", "localhost"}) {
    EXPECT_TRUE(is_network_or_host(text)) << text;
  }
  for (const char* text :
       {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "fd00::/129", "a..b", "*.example.org", "a/b", "a:80"}) {
    EXPECT_FALSE(is_network_or_host(text)) << text;
  }
}

TEST(TextForm, WebOrigins) {
  for (const char* text :
       {"*", "https://example.org", "http://localhost:3000", "https://[::1]:8443", "https://[::1]"}) {
    EXPECT_TRUE(is_web_origin(text)) << text;
  }
  for (const char* text : {"", "example.org", "https://", "https://example.org/", "https://example.org:x", "ftp://a"}) {
    EXPECT_FALSE(is_web_origin(text)) << text;
  }
}

TEST(TextForm, KeyPrefixes) {
  EXPECT_TRUE(is_key_prefix(""));
  EXPECT_TRUE(is_key_prefix("static/"));
  EXPECT_FALSE(is_key_prefix("static"));
  EXPECT_FALSE(is_key_prefix("/static/"));
  for (const char* text : {"../x/", "x/../", "x/./y/", "./"}) EXPECT_FALSE(is_key_prefix(text)) << text;
  EXPECT_TRUE(is_key_prefix("..x/.y/"));
}

TEST(TextForm, FileModes) {
  EXPECT_TRUE(is_file_mode("660"));
  EXPECT_TRUE(is_file_mode("0777"));
  EXPECT_FALSE(is_file_mode("1777"));
  EXPECT_FALSE(is_file_mode("668"));
  EXPECT_FALSE(is_file_mode("66"));
  EXPECT_FALSE(is_file_mode(""));
}

TEST(TextForm, SigningKeys) {
  EXPECT_TRUE(is_signing_key(std::string(32, 'a')));
  EXPECT_TRUE(is_signing_key(std::string(512, '0')));
  EXPECT_TRUE(is_signing_key("@key.txt"));
  for (const auto& text : {std::string(), std::string("@"), std::string(30, 'a'), std::string(33, 'a'),
                           std::string(32, 'g'), std::string(514, 'a')}) {
    EXPECT_FALSE(is_signing_key(text)) << text;
  }
}

TEST(TextForm, AddressesOfThisMachine) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "unix:/a"}) {
    EXPECT_TRUE(is_local_only(text)) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "*:1", "nothing"}) {
    EXPECT_FALSE(is_local_only(text)) << text;
  }
}

}  // namespace
}  // namespace optimux::apps
