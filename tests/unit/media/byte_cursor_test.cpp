#include "media/byte_cursor.hpp"

#include <gtest/gtest.h>

#include <array>

namespace optimux::media {
namespace {

constexpr std::array<std::byte, 4> kBytes = {std::byte{0x01}, std::byte{0x02}, std::byte{0xfe}, std::byte{0xff}};

TEST(ByteCursor, ReadsBothByteOrders) {
  EXPECT_EQ(ByteCursor(kBytes).u8(), 0x01);
  EXPECT_EQ(ByteCursor(kBytes).u16be(), 0x0102);
  EXPECT_EQ(ByteCursor(kBytes).u16le(), 0x0201);
  EXPECT_EQ(ByteCursor(kBytes).u24le(), 0xfe0201U);
  EXPECT_EQ(ByteCursor(kBytes).u32be(), 0x0102feffU);
  EXPECT_EQ(ByteCursor(kBytes).u32le(), 0xfffe0201U);
}

TEST(ByteCursor, FailsPastTheEndAndStaysFailed) {
  ByteCursor cursor(kBytes, 3);
  EXPECT_EQ(cursor.u16be(), 0);
  EXPECT_TRUE(cursor.has_failed());
  EXPECT_EQ(cursor.u8(), 0);
  EXPECT_EQ(cursor.remaining(), 0U);
}

TEST(ByteCursor, FailsOnASkipOrSeekPastTheEnd) {
  ByteCursor skipped(kBytes);
  skipped.skip(5);
  EXPECT_TRUE(skipped.has_failed());
  ByteCursor sought(kBytes);
  sought.seek(4);
  EXPECT_FALSE(sought.has_failed());
  sought.seek(5);
  EXPECT_TRUE(sought.has_failed());
  EXPECT_TRUE(ByteCursor(kBytes, 5).has_failed());
}

}  // namespace
}  // namespace optimux::media
