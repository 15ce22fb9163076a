#include "server/rate_limiter.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const RateLimiter::Clock::time_point kStart = RateLimiter::Clock::time_point(std::chrono::hours(1));

/// How many of `count` requests at one time are let through.
int passed(RateLimiter& limiter, const std::string& client, int count, RateLimiter::Clock::time_point now = kStart) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += limiter.take(client, now).count() == 0 ? 1 : 0;
  return all;
}

TEST(RateLimiterTest, LetsABurstThroughAndThenTheRate) {
  RateLimiter limiter({.rate = 10, .burst = 5});
  EXPECT_EQ(passed(limiter, "10.0.0.1", 8), 5);
  EXPECT_EQ(limiter.take("10.0.0.1", kStart), milliseconds(100));
  EXPECT_EQ(limiter.take("10.0.0.1", kStart + milliseconds(60)), milliseconds(40));
  EXPECT_EQ(passed(limiter, "10.0.0.1", 8, kStart + milliseconds(100)), 1);
  EXPECT_EQ(passed(limiter, "10.0.0.1", 8, kStart + milliseconds(399)), 2);
  EXPECT_EQ(passed(limiter, "10.0.0.1", 80, kStart + seconds(100)), 5) << "a bucket does not run over";
}

TEST(RateLimiterTest, WhoWaitsAsLongAsHeIsToldIsLetThrough) {
  RateLimiter limiter({.rate = 3, .burst = 1});
  auto now = kStart;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(limiter.take("10.0.0.1", now).count(), 0) << i;
    const auto wait = limiter.take("10.0.0.1", now);
    ASSERT_GT(wait.count(), 0);
    now += wait;
  }
  EXPECT_NEAR(std::chrono::duration<double>(now - kStart).count(), 100.0 / 3, 0.001);
}

TEST(RateLimiterTest, EachClientHasABucketOfItsOwn) {
  RateLimiter limiter({.rate = 1, .burst = 2});
  for (const std::string client : {"10.0.0.1", "10.0.0.2", "2001:db8::1", "2001:db8:0:1::1", "::", "unix"}) {
    EXPECT_EQ(passed(limiter, client, 5), 2) << client;
  }
}

TEST(RateLimiterTest, AnIpv6ClientIsItsNetwork) {
  RateLimiter limiter({.rate = 1, .burst = 2});
  EXPECT_EQ(passed(limiter, "2001:db8::1", 5), 2);
  EXPECT_EQ(passed(limiter, "2001:db8::ffff:1", 5), 0);
  EXPECT_EQ(passed(limiter, "2001:db8:0:1::1", 5), 2);
}

TEST(RateLimiterTest, AMappedAddressIsTheIpv4Client) {
  RateLimiter limiter({.rate = 1, .burst = 2});
  EXPECT_EQ(passed(limiter, "10.0.0.1", 5), 2);
  EXPECT_EQ(passed(limiter, "::ffff:10.0.0.1", 5), 0);
}

TEST(RateLimiterTest, WithoutARateNobodyIsHeldBack) {
  RateLimiter limiter({.rate = 0, .burst = 1});
  EXPECT_EQ(passed(limiter, "10.0.0.1", 1'000), 1'000);
  limiter.give_back("10.0.0.1", 1);
}

TEST(RateLimiterTest, WhatIsGivenBackCanBeTakenAgain) {
  RateLimiter limiter({.rate = 1, .burst = 10});
  int all = 0;
  while (limiter.take("10.0.0.1", kStart).count() == 0) {
    ++all;
    limiter.give_back("10.0.0.1", 0.9);
    ASSERT_LT(all, 1'000);
  }
  EXPECT_NEAR(all, 91, 1) << "ten tokens at a tenth each, and the last one has to be there whole";
}

TEST(RateLimiterTest, NewLimitsHoldAtOnce) {
  RateLimiter limiter({.rate = 1, .burst = 2});
  EXPECT_EQ(passed(limiter, "10.0.0.1", 5), 2);
  limiter.set_limits({.rate = 1, .burst = 4});
  EXPECT_EQ(passed(limiter, "10.0.0.1", 5), 2);
  limiter.set_limits({.rate = 0, .burst = 1});
  EXPECT_EQ(passed(limiter, "10.0.0.1", 5), 5);
  limiter.set_limits({.rate = 1, .burst = 2});
  EXPECT_EQ(passed(limiter, "10.0.0.1", 5), 2);
}

std::string numbered_client(int number) {
  return "10." + std::to_string(number >> 16 & 255) + "." + std::to_string(number >> 8 & 255) + "." +
         std::to_string(number & 255);
}

// Ten times as many clients as there are places: each of them is let through, whatever the others have done, and one
// that goes on asking is still held back.
TEST(RateLimiterTest, NobodyIsRefusedForWhatOthersDo) {
  RateLimiter limiter({.rate = 1, .burst = 1'000});
  EXPECT_EQ(passed(limiter, "192.0.2.1", 1'000), 1'000);
  for (int number = 0; number < 10 * static_cast<int>(RateLimiter::kPlaces); ++number) {
    ASSERT_EQ(limiter.take(numbered_client(number), kStart).count(), 0) << number;
  }
  EXPECT_GT(limiter.take("192.0.2.1", kStart).count(), 0) << "the emptiest bucket is the last to be forgotten";
}

}  // namespace
}  // namespace optimux::server
