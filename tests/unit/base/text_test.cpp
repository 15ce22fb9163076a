#include "base/text.hpp"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace optimux::base {
namespace {

using ::testing::ElementsAre;

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a,", ','), ElementsAre("a", ""));
}

TEST(Text, TrimTakesBlanksAndTabsOnly) {
  EXPECT_EQ(trim(" \ta b\t "), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(trim("\na"), "\na");
}

TEST(Text, ComparesAsciiWithoutCase) {
  EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("\xC4", "\xE4"));
}

TEST(Text, PercentDecodesExactlyOnce) {
  EXPECT_EQ(percent_decode("a%20b").value(), "a b");
  EXPECT_EQ(percent_decode("%252e").value(), "%2e");
  EXPECT_EQ(percent_decode("a+b").value(), "a+b");
  EXPECT_EQ(percent_decode("a+b", true).value(), "a b");
  EXPECT_EQ(percent_decode("%00").value(), std::string(1, '\0'));
}

TEST(Text, RefusesBrokenPercentEncoding) {
  for (const char* text : {"%", "%2", "%zz", "a%2", "%-1"}) EXPECT_FALSE(percent_decode(text)) << text;
}

TEST(Text, PercentEncodesWhatItDecodes) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(percent_decode(percent_encode(all)).value(), all);
  EXPECT_EQ(percent_encode("a/b c", "/"), "a/b%20c");
}

TEST(Text, JsonQuoteLeavesNoByteThatBreaksTheDocument) {
  EXPECT_EQ(json_quote("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(json_quote(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(json_quote("\xC3\xA9"), "\"\xC3\xA9\"");
}

// Overlong forms, surrogates, lone continuation bytes and cut sequences (RFC 3629, section 3).
TEST(Text, JsonQuoteReplacesInvalidUtf8) {
  for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\x80", "\xE2\x82", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(json_quote(bad).find("\"\\ufffd"), 0U) << json_quote(bad);
    EXPECT_EQ(json_quote(bad).find_first_of("\x80\xC0\xE2\xED\xF5\xFF"), std::string::npos) << json_quote(bad);
  }
}

struct Invisible {
  const char* utf8;
  const char* escaped;
};

// Marks of direction can turn the order of what stands behind them; some terminals take the others for line ends.
constexpr Invisible kInvisible[] = {
    {"\x7F", "\\u007f"},
    {"\xC2\x85", "\\u0085"},
    {"\xC2\x9B", "\\u009b"},
    {"\u00AD", "\\u00ad"},
    {"\u061C", "\\u061c"},
    {"\u200B", "\\u200b"},
    {"\u200E", "\\u200e"},
    {"\u200F", "\\u200f"},
    {"\u2028", "\\u2028"},
    {"\u2029", "\\u2029"},
    {"\u202A", "\\u202a"},
    {"\u202E", "\\u202e"},
    {"\u2066", "\\u2066"},
    {"\u2069", "\\u2069"},
    {"\uFEFF", "\\ufeff"},
    {"\U000E0041", "\\udb40\\udc41"},
    {"\U0001D173", "\\ud834\\udd73"},
};

TEST(Text, JsonQuoteEscapesWhatCannotBeSeen) {
  for (const auto& [utf8, escaped] : kInvisible) {
    EXPECT_EQ(json_quote(std::string("a") + utf8 + "b"), "\"a" + std::string(escaped) + "b\"");
  }
}

TEST(Text, JsonQuoteLeavesWhatCanBeSeen) {
  const std::string visible = "\u00A0\u00E9 \u05D0\u0627\u4E2D\u2010\u2027\u202F\u2070\uFFFD\U0001F600";
  EXPECT_EQ(json_quote(visible), "\"" + visible + "\"");
}

TEST(Text, PrintableKeepsQuotesAndLetsNoLineBegin) {
  EXPECT_EQ(printable("'C:\\a \"b\"'"), "'C:\\a \"b\"'");
  EXPECT_EQ(printable(std::string_view("a\0b\r\nc\x1b[1m\xFF", 11)), R"(a\u0000b\r\nc\u001b[1m\ufffd)");
  for (const auto& [utf8, escaped] : kInvisible) EXPECT_EQ(printable(utf8), escaped);
}

// RFC 4648, section 10.
TEST(Text, Base64OfTheStandardsExamples) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_encode("\xFF\xFE\xFD"), "//79");
}

TEST(Text, ParseNumberTakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<int>("-12").value(), -12);
  EXPECT_EQ(parse_number<double>("1.5").value(), 1.5);
  EXPECT_EQ(parse_number<double>(".5").value(), 0.5);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "99999999999"})
    EXPECT_FALSE(parse_number<int>(text)) << text;
  for (const char* text : {"nan", "inf", "-inf", "infinity", "1e999", "-nan"}) {
    EXPECT_FALSE(parse_number<double>(text)) << text;
  }
  EXPECT_FALSE(parse_number<std::uint8_t>("256"));
  EXPECT_FALSE(parse_number<std::uint32_t>("-1"));
}

}  // namespace
}  // namespace optimux::base
