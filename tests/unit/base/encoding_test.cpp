#include "base/encoding.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace optimux::base {
namespace {

TEST(Encoding, AUrlKeepsWhatMayStandInIt) {
  const std::string url = "http://h:1/a%20b;c?d=e&f=%C3%A9+(1)*'!$,@[]~_-.#g";
  EXPECT_EQ(percent_encode_url(url), url);
  EXPECT_EQ(percent_encode_url("/a b\"<>\\^`{|}\xC3\xA9\n"), "/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D%C3%A9%0A");
}

TEST(Encoding, HexadecimalDigitsOfEitherCase) {
  EXPECT_EQ(hex_decode(""), "");
  EXPECT_EQ(hex_decode("00fF10aB"), std::string("\0\xff\x10\xab", 4));
  for (const char* text : {"0", "000", "0g", "g0", " 00", "0x00", "-1"}) EXPECT_FALSE(hex_decode(text)) << text;
}

TEST(Encoding, HexadecimalDigitsReadBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(hex_decode(hex(all)), all);
}

// RFC 4648, section 10, and the two characters that differ from plain base64.
TEST(Encoding, Base64ForUrls) {
  EXPECT_EQ(base64url_encode(""), "");
  EXPECT_EQ(base64url_encode("f"), "Zg");
  EXPECT_EQ(base64url_encode("fo"), "Zm8");
  EXPECT_EQ(base64url_encode("foo"), "Zm9v");
  EXPECT_EQ(base64url_encode("\xfb\xff\xbf"), "-_-_");
}

}  // namespace
}  // namespace optimux::base
