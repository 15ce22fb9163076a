#include "media/header_limits.hpp"

#include <gtest/gtest.h>

#include <string>

namespace optimux::media {
namespace {

SourceHeader header(std::int64_t width, std::int64_t height, int pages = 1) {
  SourceHeader made;
  made.width = width;
  made.height = height;
  made.pages = pages;
  made.is_animation = pages > 1;
  return made;
}

void expect_limit(const base::Status& status, const std::string& field) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_NE(status.error().detail.find(field), std::string::npos) << status.error().detail;
}

constexpr MediaLimits kLimits{.max_frame_pixels = 1000, .max_total_pixels = 3000, .max_frames = 5};

TEST(HeaderLimits, LetsThroughWhatIsJustWithin) {
  EXPECT_TRUE(check_header_limits(header(100, 10), {0, 1}, kLimits));
  EXPECT_TRUE(check_header_limits(header(100, 10, 3), {0, 3}, kLimits));
  EXPECT_TRUE(check_header_limits(header(10, 10, 5), {0, 5}, kLimits));
}

TEST(HeaderLimits, NameTheFieldAndTheLimit) {
  expect_limit(check_header_limits(header(1001, 1), {0, 1}, kLimits), "max_frame_pixels 1000");
  expect_limit(check_header_limits(header(100, 10, 4), {0, 4}, kLimits), "max_total_pixels 3000");
  expect_limit(check_header_limits(header(1, 1, 6), {0, 6}, kLimits), "max_frames 5");
}

// Whatever is allowed: a longer one would not fit libvips' numbers, nor ours.
TEST(HeaderLimits, BoundASide) {
  constexpr MediaLimits kLarge{.max_frame_pixels = std::int64_t{1} << 40, .max_total_pixels = std::int64_t{1} << 40};
  EXPECT_TRUE(check_frame_pixels(header(10'000'000, 1), kLarge));
  expect_limit(check_frame_pixels(header(10'000'001, 1), kLarge), "a side of 10000000");
  expect_limit(check_frame_pixels(header(1, 0xffffffff), kLarge), "a side of 10000000");
}

TEST(HeaderLimits, CountFramesThatHaveToBeDecodedOnTheWay) {
  expect_limit(check_header_limits(header(100, 10, 100), {50, 1}, kLimits), "max_total_pixels");
}

TEST(HeaderLimits, LeaveTheFramesThatAreNotDecodedAlone) {
  EXPECT_TRUE(check_header_limits(header(100, 10, 107'000), {0, 1}, kLimits));
}

TEST(HeaderLimits, DoNotOverflow) {
  expect_limit(check_header_limits(header(0xffffffff, 0xffffffff), {0, 1}, kLimits), "max_frame_pixels");
}

}  // namespace
}  // namespace optimux::media
