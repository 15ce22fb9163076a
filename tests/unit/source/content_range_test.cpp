#include "source/content_range.hpp"

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

TEST(ContentRange, IsReadAsOriginsWriteIt) {
  EXPECT_EQ(parse_content_range("bytes 0-65535/1234567"), (ContentRange{ByteRange{0, 65536}, 1234567}));
  EXPECT_EQ(parse_content_range("Bytes 5-5/6"), (ContentRange{ByteRange{5, 1}, 6}));
  EXPECT_EQ(parse_content_range("bytes */42"), (ContentRange{std::nullopt, 42}));
  EXPECT_EQ(parse_content_range("bytes 18446744073709551613-18446744073709551614/18446744073709551615"),
            (ContentRange{ByteRange{18446744073709551613u, 2}, 18446744073709551615u}));
}

TEST(ContentRange, WhatCannotBeIsRefused) {
  for (const char* value :
       {"", "bytes", "bytes 0-1", "bytes 0-1/*", "bytes 2-1/9", "bytes 0-9/9", "bytes -1/9", "bytes 0-/9",
        "pages 0-1/9", "bytes 0-1/9, bytes 3-4/9", "bytes 0-18446744073709551616/18446744073709551617", "bytes +0-1/9",
        "bytes 0 -1/9", "bytes */", "bytes **/9"}) {
    EXPECT_FALSE(parse_content_range(value)) << value;
  }
}

TEST(ContentRange, APartIsAskedForByItsFirstAndLastByte) {
  EXPECT_EQ((ByteRange{0, 1}).field(), "bytes=0-0");
  EXPECT_EQ((ByteRange{65536, 65536}).field(), "bytes=65536-131071");
}

}  // namespace
}  // namespace optimux::source
