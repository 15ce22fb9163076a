#include "source/low_speed_watch.hpp"

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const LowSpeedWatch::Clock::time_point kBegin{seconds(1'000)};

TEST(LowSpeedWatch, DoesNotCountBeforeTheFirstBytes) {
  LowSpeedWatch watch(1'000, seconds(3));
  EXPECT_FALSE(watch.end());
  watch.arrived(1, kBegin);
  EXPECT_EQ(watch.end(), kBegin + seconds(3));
}

TEST(LowSpeedWatch, ABodyBelowTheRateIsGivenUpAfterTheTime) {
  LowSpeedWatch watch(1'000, seconds(3));
  for (int i = 0; i < 29; ++i) watch.arrived(100, kBegin + i * milliseconds(100));
  EXPECT_EQ(watch.end(), kBegin + seconds(3));
}

TEST(LowSpeedWatch, ABodyThatKeepsTheRateIsNot) {
  LowSpeedWatch watch(1'000, seconds(3));
  for (int i = 0; i < 10'000; ++i) {
    const auto now = kBegin + i * milliseconds(100);
    watch.arrived(110, now);
    ASSERT_GT(watch.end(), now);
  }
}

TEST(LowSpeedWatch, WhatCameBeforeAStallDoesNotCount) {
  LowSpeedWatch watch(1'000, seconds(3));
  watch.arrived(100'000'000, kBegin);
  EXPECT_EQ(watch.end(), kBegin + seconds(3));
  watch.arrived(3'000, kBegin + seconds(2));
  EXPECT_EQ(watch.end(), kBegin + seconds(5));
  watch.arrived(2'999, kBegin + seconds(4));
  EXPECT_EQ(watch.end(), kBegin + seconds(5));
}

TEST(LowSpeedWatch, NeverGivesUpWithoutARateOrATime) {
  for (LowSpeedWatch watch : {LowSpeedWatch(0, seconds(3)), LowSpeedWatch(1'000, seconds(0))}) {
    watch.arrived(1, kBegin);
    EXPECT_FALSE(watch.end());
  }
}

}  // namespace
}  // namespace optimux::source
