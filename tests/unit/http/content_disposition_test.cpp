#include "http/content_disposition.hpp"

#include <string>

#include <gtest/gtest.h>

#include "http/headers.hpp"

namespace optimux::http {
namespace {

TEST(ContentDisposition, PlainNames) {
  EXPECT_EQ(attachment("photo.jpg"), "attachment; filename=\"photo.jpg\"");
  EXPECT_EQ(attachment("a b,c;d.jpg"), "attachment; filename=\"a b,c;d.jpg\"");
  EXPECT_EQ(attachment(""), "attachment");
}

TEST(ContentDisposition, QuotesAndPercentSignsHaveAFallback) {
  EXPECT_EQ(attachment("foto-\"vse,-test\".jpg"),
            "attachment; filename=\"foto-_vse,-test_.jpg\"; filename*=UTF-8''foto-%22vse%2C-test%22.jpg");
  EXPECT_EQ(attachment("50%.jpg"), "attachment; filename=\"50_.jpg\"; filename*=UTF-8''50%25.jpg");
}

TEST(ContentDisposition, NamesBeyondAsciiAreGivenTwice) {
  EXPECT_EQ(attachment("\xc3\xa9/\xe4\xb9\xa6.png"),
            "attachment; filename=\"___.png\"; filename*=UTF-8''%C3%A9_%E4%B9%A6.png");
  EXPECT_EQ(attachment("\xf0\x9f\x90\xb1"), "attachment; filename=\"_\"; filename*=UTF-8''%F0%9F%90%B1");
}

TEST(ContentDisposition, NothingGetsOutOfTheField) {
  EXPECT_EQ(attachment("a\r\nX: y"), "attachment; filename=\"aX: y\"");
  EXPECT_EQ(attachment(std::string_view("a\0b\x7f", 4)), "attachment; filename=\"ab\"");
  EXPECT_EQ(attachment("../..\\etc"), "attachment; filename=\".._.._etc\"");
}

TEST(ContentDisposition, BytesThatAreNotUtf8BecomeUnderscores) {
  for (const auto* const bad : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe4\xb9", "\x80"}) {
    const std::string value = attachment(std::string("x") + bad + "y");
    EXPECT_TRUE(is_field_value(value));
    EXPECT_EQ(value.find("filename*"), std::string::npos) << value;
  }
}

TEST(ContentDisposition, LongNamesAreCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 150; ++i) name += "\xc3\xa9";
  const std::string value = attachment(name);
  EXPECT_NE(value.find("filename=\"" + std::string(100, '_') + "\""), std::string::npos);
}

}  // namespace
}  // namespace optimux::http
