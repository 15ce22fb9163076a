#include "service/freshness.hpp"

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr FreshnessLimits kLimits{seconds(10), seconds(5), seconds(60)};
constexpr steady_clock::time_point kMade{hours(100)};

Freshness after(seconds age, const char* cache_control = "", std::optional<seconds> failed = std::nullopt) {
  Rendition rendition("key");
  rendition.set_validated_at(kMade);
  rendition.set_facts({"\"tag\"", cache_control, {}});
  if (failed) rendition.set_source_failed_at(kMade + *failed);
  return freshness_of(rendition, kLimits, kMade + age);
}

TEST(Freshness, GoesByAge) {
  EXPECT_EQ(after(seconds(9)), Freshness::kFresh);
  EXPECT_EQ(after(seconds(10)), Freshness::kRefreshable);
  EXPECT_EQ(after(seconds(14)), Freshness::kRefreshable);
  EXPECT_EQ(after(seconds(15)), Freshness::kFallback);
  EXPECT_EQ(after(seconds(69)), Freshness::kFallback);
  EXPECT_EQ(after(seconds(70)), Freshness::kStale);
}

TEST(Freshness, AnOriginMayForbidStaleAnswers) {
  for (const char* header : {"no-cache", "max-age=5, must-revalidate", "Proxy-Revalidate", "public , no-cache=\"x\""}) {
    EXPECT_EQ(after(seconds(9), header), Freshness::kFresh) << header;
    EXPECT_EQ(after(seconds(12), header), Freshness::kStale) << header;
    EXPECT_EQ(after(seconds(20), header, seconds(20)), Freshness::kStale) << header;
  }
  EXPECT_EQ(after(seconds(12), "max-age=5, public"), Freshness::kRefreshable);
}

TEST(Freshness, ASourceThatFailedRestsAMoment) {
  EXPECT_EQ(after(seconds(20), "", seconds(18)), Freshness::kRefreshable);
  EXPECT_EQ(after(seconds(20), "", seconds(15)), Freshness::kFallback);
  EXPECT_EQ(after(seconds(80), "", seconds(79)), Freshness::kStale) << "too old for that";
}

TEST(Freshness, WhatWasNeverValidatedIsStale) {
  EXPECT_EQ(freshness_of(Rendition("key"), kLimits, kMade), Freshness::kStale);
}

TEST(Freshness, NothingIsKeptThatTheOriginWantsForTheAskerAlone) {
  for (const char* header : {"no-store", "private", "max-age=60, Private", "NO-STORE,public"}) {
    EXPECT_TRUE(forbids_keeping(header)) << header;
  }
  for (const char* header : {"", "public", "no-cache", "x-private", "max-age=60"}) {
    EXPECT_FALSE(forbids_keeping(header)) << header;
  }
}

TEST(Freshness, TimesGoToTheClockAndBack) {
  const auto moment = steady_clock::now() - hours(30);
  const auto back = moment_of(clock_time_of(moment));
  EXPECT_LT(back - moment, milliseconds(100));
  EXPECT_LT(moment - back, milliseconds(100));
}

TEST(Freshness, ATimeAheadOfTheClockIsLongAgo) {
  EXPECT_LT(moment_of(system_clock::now() + hours(1)), steady_clock::now() - hours(24));
  EXPECT_GT(moment_of(system_clock::now() + seconds(10)), steady_clock::now() - minutes(1))
      << "clocks of several machines differ a little";
}

}  // namespace
}  // namespace optimux::service
