#include "http/headers.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

TEST(Headers, NamesHaveNoCase) {
  Headers headers = {{"Content-Type", "a"}};
  EXPECT_EQ(headers.find("content-TYPE"), "a");
  EXPECT_FALSE(headers.has("Content"));
}

TEST(Headers, ListsAreJoinedInOrder) {
  Headers headers = {{"Accept", "a"}, {"Other", "x"}, {"accept", "b, c"}};
  EXPECT_EQ(headers.joined("Accept"), "a, b, c");
  EXPECT_EQ(headers.joined("None"), "");
  EXPECT_TRUE(headers.has_token("ACCEPT", "C"));
  EXPECT_FALSE(headers.has_token("Accept", "b, c"));
}

TEST(Headers, SetReplacesAll) {
  Headers headers = {{"A", "1"}, {"a", "2"}, {"B", "3"}};
  headers.set("A", "4");
  EXPECT_EQ(headers.joined("a"), "4");
  EXPECT_EQ(headers.size(), 2u);
}

TEST(Headers, AFieldMayRepeatAnother) {
  Headers headers = {{"Allow", "GET, HEAD"}};
  for (int i = 0; i < 200; ++i) headers.add("Access-Control-Allow-Methods", *headers.find("Allow"));
  for (int i = 0; i < 8; ++i) headers.set("Allow", *headers.find("Allow"));
  EXPECT_EQ(headers.find("Allow"), "GET, HEAD");
  for (const HeaderField& field : headers) EXPECT_EQ(field.value, "GET, HEAD");
  EXPECT_EQ(headers.size(), 201u);
}

TEST(Headers, FieldsStandInTheirOrderWhateverTheirLength) {
  Headers headers;
  for (std::size_t i = 0; i < 40; ++i) headers.add(std::string(i + 1, 'n'), std::string(i * i, 'v'));
  headers.remove("nn");
  const Headers copy = headers;
  std::size_t i = 0;
  for (const HeaderField& field : copy) {
    if (i == 1) ++i;
    EXPECT_EQ(field.name, std::string(i + 1, 'n'));
    EXPECT_EQ(field.value, std::string(i * i, 'v'));
    ++i;
  }
  EXPECT_EQ(i, 40u);
  EXPECT_FALSE(copy.has("nn"));
}

TEST(Headers, TokensAndValues) {
  EXPECT_TRUE(is_token("X-Request-Id"));
  for (const auto* const bad : {"", "a b", "a:b", "a\r", "\xc3\xa4", "a/b", "(a)"}) EXPECT_FALSE(is_token(bad)) << bad;
  EXPECT_TRUE(is_field_value(""));
  EXPECT_TRUE(is_field_value("a\tb \xc3\xa4"));
  for (const auto* const bad : {"a\r\nb", "\n", "\x01", "\x7f"}) EXPECT_FALSE(is_field_value(bad)) << bad;
}

}  // namespace
}  // namespace optimux::http
