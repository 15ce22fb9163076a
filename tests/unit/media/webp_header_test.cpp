#include "media/webp_header.hpp"

#include <gtest/gtest.h>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::animation;
using test::gradient;
using test::gradient_with_alpha;
using test::save;
using test::source_of;
using test::text_of;

TEST(WebpHeader, ReadsLossyFiles) {
  const auto header = read_webp_header(*save(gradient(37, 21).get(), ".webp[strip]"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 37);
  EXPECT_EQ(header->height, 21);
  EXPECT_FALSE(header->has_alpha);
  EXPECT_FALSE(header->is_animation);
}

TEST(WebpHeader, ReadsLosslessFilesWithAlpha) {
  const auto header = read_webp_header(*save(gradient_with_alpha(137, 221).get(), ".webp[lossless,strip]"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 137);
  EXPECT_EQ(header->height, 221);
  EXPECT_TRUE(header->has_alpha);
}

TEST(WebpHeader, SeesAProfile) {
  const auto header = read_webp_header(*save(gradient(37, 21).get(), ".webp[profile=p3]"));
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has_profile);
}

TEST(WebpHeader, CountsFramesAndTheirTime) {
  const auto header = read_webp_header(*save(animation(20, 10, 4).get(), ".webp"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 20);
  EXPECT_EQ(header->height, 10);
  EXPECT_EQ(header->pages, 4);
  EXPECT_TRUE(header->is_animation);
  EXPECT_NEAR(header->duration, 0.26, 1e-9);
}

TEST(WebpHeader, RefusesEveryCutOffFile) {
  for (const char* suffix : {".webp[strip]", ".webp[lossless]", ".webp"}) {
    const auto source = save(gradient(40, 40).get(), suffix);
    const auto text = text_of(source);
    for (std::size_t length = 12; length < text.size(); ++length) {
      const auto header = read_webp_header(*source_of(text.substr(0, length)));
      ASSERT_FALSE(header) << suffix << " " << length;
      EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
    }
  }
}

}  // namespace
}  // namespace optimux::media
