#include "server/cache_control.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

std::string limited(std::string_view cache_control) {
  return limit_cache_time(cache_control, std::chrono::seconds(60));
}

TEST(CacheControl, NoTimeIsLongerThanTheLimit) {
  EXPECT_EQ(limited("public, max-age=86400"), "public, max-age=60");
  EXPECT_EQ(limited("public,max-age=30"), "public, max-age=30");
  EXPECT_EQ(limited("S-MaxAge=1, Max-Age=61 , s-maxage=100"), "S-MaxAge=1, Max-Age=60, s-maxage=60");
  EXPECT_EQ(limit_cache_time("max-age=5", std::chrono::seconds(0)), "max-age=0");
}

TEST(CacheControl, ATimeIsAddedWhereThereIsNone) {
  EXPECT_EQ(limited("public"), "public, max-age=60");
  EXPECT_EQ(limited(""), "max-age=60");
  EXPECT_EQ(limited("s-maxage=10"), "s-maxage=10, max-age=60");
  EXPECT_EQ(limited("no-cache=\"set-cookie\""), "no-cache=\"set-cookie\", max-age=60");
}

TEST(CacheControl, NothingLetsACacheGoBeyond) {
  EXPECT_EQ(limited("public, max-age=90, immutable, stale-while-revalidate=9, Stale-If-Error=9"), "public, max-age=60");
}

TEST(CacheControl, WhatForbidsKeepingStays) {
  EXPECT_EQ(limited("no-store"), "no-store");
  EXPECT_EQ(limited("private, no-cache"), "private, no-cache");
}

TEST(CacheControl, ATimeThatCannotBeReadIsTheLimit) {
  EXPECT_EQ(limited("max-age"), "max-age=60");
  EXPECT_EQ(limited("max-age=\"10\""), "max-age=60");
  EXPECT_EQ(limited("max-age=99999999999999999999"), "max-age=60");
  EXPECT_EQ(limited("max-age=-1"), "max-age=0");
}

}  // namespace
}  // namespace optimux::server
