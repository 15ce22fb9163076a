#include "apps/optimux/h2/page_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace optimux::apps {
namespace {

using http::SchedulingPolicy;

/// Pictures of 1,000 bytes for each phase, all asked for at once.
Page small_page(std::size_t images) {
  Page page;
  for (std::size_t i = 0; i < images; ++i)
    page.images.push_back({.ends = {1'000, 2'000, 3'000, 4'000}, .priority = {.urgency = 3, .incremental = true}});
  return page;
}

/// A byte takes a millisecond, and nothing is handed over ahead.
constexpr Link kSlow{.bytes_per_second = 1'000, .round_trip = 2, .send_buffer = 0};

void expect_times(const PhaseTimes& times, const PhaseTimes& expected) {
  for (std::size_t phase = 0; phase < times.size(); ++phase) EXPECT_NEAR(times[phase], expected[phase], 1e-9) << phase;
}

TEST(PageLoad, TakesTheLineForBytesAndFrameHeaders) {
  const PageLoad load = load_page(small_page(1), kSlow, SchedulingPolicy::kPhases);
  expect_times(load.images[0], {1.009 + 1, 2.018 + 1, 3.027 + 1, 4.036 + 1});
  EXPECT_EQ(load.frames, 4U);
  EXPECT_EQ(load.bytes, 4'036U);
  EXPECT_NEAR(load.end, 5.036, 1e-9);
}

TEST(PageLoad, PhasesComeInOrderAcrossPictures) {
  const PageLoad load = load_page(small_page(2), kSlow, SchedulingPolicy::kPhases);
  expect_times(load.images[0], {1.009 + 1, 3.027 + 1, 5.045 + 1, 7.063 + 1});
  expect_times(load.images[1], {2.018 + 1, 4.036 + 1, 6.054 + 1, 8.072 + 1});
}

TEST(PageLoad, FifoSendsOnePictureAfterAnother) {
  const PageLoad load = load_page(small_page(2), kSlow, SchedulingPolicy::kFifo);
  expect_times(load.images[0], {4.009 + 1, 4.009 + 1, 4.009 + 1, 4.009 + 1});  // one frame
  expect_times(load.images[1], {8.018 + 1, 8.018 + 1, 8.018 + 1, 8.018 + 1});
}

TEST(PageLoad, WaitsForTheRequest) {
  Page page = small_page(1);
  page.images[0].requested = 10;
  EXPECT_NEAR(load_page(page, kSlow, SchedulingPolicy::kPhases).images[0][0], 10 + 1.009 + 1, 1e-9);
}

TEST(PageLoad, SendsNothingOfABlockedPicture) {
  Page page = small_page(2);
  page.blocked.push_back({0, 0, 100});
  const PageLoad load = load_page(page, kSlow, SchedulingPolicy::kPhases);
  expect_times(load.images[1], {1.009 + 1, 2.018 + 1, 3.027 + 1, 4.036 + 1});
  EXPECT_NEAR(load.images[0][0], 100 + 1.009 + 1, 1e-9);
}

TEST(PageLoad, WhatIsInTheBufferGoesBeforeAnUrgentRequest) {
  Page page = small_page(2);
  page.images[1].priority.urgency = 0;
  page.images[1].requested = 0.5;
  Link link = kSlow;
  EXPECT_NEAR(load_page(page, link, SchedulingPolicy::kRfc9218).images[1][0], 4.009 + 4.009 + 1, 1e-9);
  page.images[0].ends = {1'000, 2'000, 100'000, 200'000};
  link.send_buffer = 50'000;  // three frames of 16,393 bytes
  EXPECT_NEAR(load_page(page, link, SchedulingPolicy::kRfc9218).images[1][3], 3 * 16.393 + 4.009 + 1, 1e-9);
}

TEST(PageLoad, AllPoliciesSendAllOfAPage) {
  const Link link;
  const Page page = make_page({.images = 50, .blocked = 0.1}, link, 7);
  double fastest = 1e9;
  double slowest = 0;
  for (const SchedulingPolicy policy : kAllPolicies) {
    const PageLoad load = load_page(page, link, policy);
    EXPECT_EQ(load.bytes, page.size() + 9 * load.frames);
    for (const PhaseTimes& times : load.images) {
      EXPECT_TRUE(std::ranges::is_sorted(times));
      EXPECT_GT(times.front(), 0);
      EXPECT_LE(times.back(), load.end);
    }
    fastest = std::min(fastest, load.end);
    slowest = std::max(slowest, load.end);
  }
  EXPECT_LT(slowest / fastest, 1.02) << "the order is no matter of the whole";
}

TEST(Page, IsTheSameForASeed) {
  const Link link;
  const PageShape shape{.images = 30, .blocked = 0.5};
  const Page page = make_page(shape, link, 3);
  ASSERT_EQ(page.images.size(), 31U);
  EXPECT_EQ(make_page(shape, link, 3).size(), page.size());
  EXPECT_NE(make_page(shape, link, 4).size(), page.size());
  EXPECT_FALSE(page.blocked.empty());
  EXPECT_LT(page.blocked.size(), 30U);
}

TEST(Page, HasPicturesOfFourPhasesAndTheMeanSize) {
  const Page page = make_page({.images = 1'000, .has_late_request = false}, Link{}, 1);
  for (const PageImage& image : page.images) {
    EXPECT_EQ(image.ends[0], 600U);
    EXPECT_TRUE(std::ranges::is_sorted(image.ends));
    EXPECT_NEAR(static_cast<double>(image.ends[1]) / static_cast<double>(image.size()), 0.125, 0.026);
    EXPECT_NEAR(static_cast<double>(image.ends[2]) / static_cast<double>(image.size()), 0.5, 0.051);
  }
  EXPECT_NEAR(static_cast<double>(page.size()) / 1'000, 90'000, 4'500);
}

TEST(Page, TheLateRequestComesAtHalfTimeAndIsUrgent) {
  const Link link;
  const Page page = make_page({.images = 5}, link, 1);
  const PageImage& late = page.images.back();
  const auto others = static_cast<double>(page.size() - late.size());
  EXPECT_TRUE(late.is_late);
  EXPECT_EQ(late.priority.urgency, 1);
  EXPECT_NEAR(late.requested, link.round_trip / 2 + others / link.bytes_per_second / 2, 1e-9);
  EXPECT_EQ(make_page({.images = 5, .has_late_request = false}, link, 1).images.size(), 5U);
}

}  // namespace
}  // namespace optimux::apps
