#include "source/origin_freshness.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

const system_clock::time_point kNow = system_clock::from_time_t(784111777);  // Sun, 06 Nov 1994 08:49:37 GMT

OriginFreshness by_control(std::string cache_control, std::string age = "") {
  return read_freshness({.cache_control = std::move(cache_control), .age = std::move(age)}, kNow);
}

TEST(OriginFreshnessTest, ReadsTheLifetimeOfASharedCache) {
  const std::vector<std::pair<std::string, std::optional<seconds>>> cases = {
      {"", std::nullopt},
      {"public", std::nullopt},
      {"max-age=60", seconds(60)},
      {"MAX-AGE = 60", seconds(60)},
      {"public, max-age=60, immutable", seconds(60)},
      {"max-age=\"60\"", seconds(60)},
      {"max-age=60, s-maxage=5", seconds(5)},
      {"s-maxage=500, max-age=60", seconds(500)},
      {"max-age=60, max-age=30", seconds(30)},
      {"max-age=60, no-cache", seconds(0)},
      {"no-cache=\"Set-Cookie\", max-age=60", seconds(0)},
      {"max-age=", seconds(0)},
      {"max-age", seconds(0)},
      {"max-age=-1", seconds(0)},
      {"max-age=1.5", seconds(0)},
      {"max-age=1e3", seconds(0)},
      {"max-age=99999999999999999999", seconds(2'147'483'648)},
      {"extension=\"a, max-age=60\"", std::nullopt},
      {"extension=\"\\\", max-age=60", std::nullopt},
      {",, max-age=60 ,", seconds(60)},
  };
  for (const auto& [text, lifetime] : cases) EXPECT_EQ(by_control(text).lifetime, lifetime) << text;
}

TEST(OriginFreshnessTest, WhatIsForOneAskerAloneIsNotKept) {
  for (const char* text : {"no-store", "private", "max-age=60, Private", "private=\"Set-Cookie\"", "NO-STORE,public"}) {
    EXPECT_FALSE(by_control(text).may_be_kept) << text;
  }
  for (const char* text : {"", "public", "no-cache", "max-age=0", "x-private", "extension=\"private\""}) {
    EXPECT_TRUE(by_control(text).may_be_kept) << text;
  }
}

TEST(OriginFreshnessTest, TellsWhatMustNotBeUsedStale) {
  for (const char* text : {"must-revalidate", "proxy-revalidate", "no-cache", "s-maxage=60"}) {
    EXPECT_TRUE(by_control(text).must_revalidate) << text;
  }
  for (const char* text : {"", "max-age=60", "stale-if-error=60"})
    EXPECT_FALSE(by_control(text).must_revalidate) << text;
}

TEST(OriginFreshnessTest, TheAgeIsTakenOffAndNeverAddsTime) {
  EXPECT_EQ(by_control("max-age=60", "20").lifetime, seconds(40));
  EXPECT_EQ(by_control("max-age=60", "60").lifetime, seconds(0));
  EXPECT_EQ(by_control("max-age=60", "100").lifetime, seconds(0));
  EXPECT_EQ(by_control("max-age=60", "-20").lifetime, seconds(0));
  EXPECT_EQ(by_control("max-age=60", "nonsense").lifetime, seconds(0));
  EXPECT_EQ(by_control("", "20").lifetime, std::nullopt);
}

TEST(OriginFreshnessTest, ExpiresCountsFromTheOriginsDateOrFromNow) {
  const std::string in_a_minute = "Sun, 06 Nov 1994 08:50:37 GMT";
  EXPECT_EQ(read_freshness({.expires = in_a_minute}, kNow).lifetime, seconds(60));
  EXPECT_EQ(read_freshness({.expires = in_a_minute, .date = "Sun, 06 Nov 1994 08:50:27 GMT"}, kNow).lifetime,
            seconds(10));
  EXPECT_EQ(read_freshness({.expires = in_a_minute, .date = "no date"}, kNow).lifetime, seconds(60));
  EXPECT_EQ(read_freshness({.expires = in_a_minute}, kNow + seconds(61)).lifetime, seconds(0));
  EXPECT_EQ(read_freshness({.expires = in_a_minute, .age = "15"}, kNow).lifetime, seconds(45));
  for (const char* past : {"0", "-1", "never", "Sun, 06 Nov 1994 08:50:37 CET"}) {
    EXPECT_EQ(read_freshness({.expires = past}, kNow).lifetime, seconds(0)) << past;
  }
  EXPECT_EQ(read_freshness({.cache_control = "max-age=5", .expires = in_a_minute}, kNow).lifetime, seconds(5));
}

TEST(OriginFreshnessTest, WhatVariesByEverythingIsAskedForEachTime) {
  EXPECT_EQ(read_freshness({.cache_control = "max-age=60", .vary = "*"}, kNow).lifetime, seconds(0));
  EXPECT_EQ(read_freshness({.vary = "Accept , * "}, kNow).lifetime, seconds(0));
  EXPECT_EQ(read_freshness({.cache_control = "max-age=60", .vary = "Accept-Encoding"}, kNow).lifetime, seconds(60));
}

TEST(OriginFreshnessTest, WhoeverAsksDecidesWhatTheOriginLeavesOpen) {
  EXPECT_EQ(by_control("").lifetime_or(seconds(7)), seconds(7));
  EXPECT_EQ(by_control("max-age=60").lifetime_or(seconds(7)), seconds(60));
  EXPECT_EQ(by_control("max-age=0").lifetime_or(seconds(7)), seconds(0));
}

TEST(OriginFreshnessTest, ATemporaryRedirectKeepsTheLongLifeOfItsTargetWithinTheAskersOwnRule) {
  OriginFreshness target = by_control("max-age=31536000");
  target.limit_by_redirect(by_control(""), false);
  EXPECT_EQ(target.lifetime_or(seconds(300)), seconds(300));

  OriginFreshness brief = by_control("max-age=5");
  brief.limit_by_redirect(by_control(""), false);
  EXPECT_EQ(brief.lifetime_or(seconds(300)), seconds(5));

  OriginFreshness silent = by_control("");
  silent.limit_by_redirect(by_control(""), false);
  EXPECT_EQ(silent.lifetime_or(seconds(300)), seconds(300));
}

TEST(OriginFreshnessTest, ARedirectThatSaysHowLongItHoldsLimitsItsTarget) {
  OriginFreshness target = by_control("max-age=31536000");
  target.limit_by_redirect(by_control("max-age=10"), false);
  EXPECT_EQ(target.lifetime_or(seconds(300)), seconds(10));

  OriginFreshness silent = by_control("");
  silent.limit_by_redirect(by_control("max-age=1000"), true);
  EXPECT_EQ(silent.lifetime_or(seconds(300)), seconds(300));
  EXPECT_EQ(silent.lifetime_or(seconds(5000)), seconds(1000));

  OriginFreshness secret = by_control("max-age=60");
  secret.limit_by_redirect(by_control("no-store, must-revalidate"), false);
  EXPECT_FALSE(secret.may_be_kept);
  EXPECT_TRUE(secret.must_revalidate);
}

TEST(OriginFreshnessTest, APermanentRedirectThatSaysNothingChangesNothing) {
  OriginFreshness target = by_control("max-age=31536000");
  target.limit_by_redirect(by_control(""), true);
  EXPECT_EQ(target, by_control("max-age=31536000"));
}

}  // namespace
}  // namespace optimux::source
