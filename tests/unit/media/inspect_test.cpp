#include "media/inspect.hpp"

#include <gtest/gtest.h>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::executor;
using test::gradient;
using test::save;

TEST(Inspect, TellsTheUprightSize) {
  const auto image = gradient(40, 30);
  vips_image_set_int(image.get(), VIPS_META_ORIENTATION, 8);
  const auto source = save(image.get(), ".jpg");
  const auto info = executor().inspect(source, {});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->format, Format::kJpeg);
  EXPECT_EQ(info->width, 30);
  EXPECT_EQ(info->height, 40);
  EXPECT_EQ(info->orientation, 8);
  EXPECT_EQ(info->bytes, source->size());
  EXPECT_TRUE(info->blur_hash.empty());
}

TEST(Inspect, TellsAnAnimationsLength) {
  const auto info = executor().inspect(save(test::animation(20, 10, 3).get(), ".webp"), {});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->pages, 3);
  EXPECT_NEAR(info->duration, 0.18, 1e-9);
}

TEST(Inspect, DoesNothingForNobody) {
  std::stop_source stop;
  stop.request_stop();
  const auto info = executor().inspect(save(gradient(40, 30).get(), ".png"), {stop.get_token(), {}, {}});
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code, base::ErrorCode::kCancelled);
}

TEST(Inspect, SaysWhatIsWrong) {
  const auto unknown = executor().inspect(test::source_of("<svg/>"), {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, base::ErrorCode::kUnsupportedMedia);
  const auto broken = executor().inspect(test::source_of("GIF89a"), {});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, base::ErrorCode::kBrokenMedia);
  const auto limited =
      make_in_process_executor({.max_frame_pixels = 100})->inspect(save(gradient(40, 30).get(), ".png"), {});
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, base::ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace optimux::media
