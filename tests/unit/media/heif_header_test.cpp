#include "media/heif_header.hpp"

#include <gtest/gtest.h>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::gradient_with_alpha;
using test::save;
using test::source_of;
using test::text_of;

TEST(HeifHeader, ReadsAvif) {
  const auto header = read_heif_header(*save(gradient(137, 91).get(), ".avif[effort=0]"), Format::kAvif);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->format, Format::kAvif);
  EXPECT_EQ(header->width, 137);
  EXPECT_EQ(header->height, 91);
  EXPECT_EQ(header->orientation, 1);
  EXPECT_FALSE(header->has_alpha);
}

TEST(HeifHeader, SeesAlpha) {
  const auto header = read_heif_header(*save(gradient_with_alpha(64, 64).get(), ".avif[effort=0]"), Format::kAvif);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has_alpha);
}

TEST(HeifHeader, RefusesEveryCutOffFile) {
  const auto source = save(gradient(64, 64).get(), ".avif[effort=0]");
  const auto text = text_of(source);
  for (std::size_t length = 12; length < text.size(); ++length) {
    EXPECT_FALSE(read_heif_header(*source_of(text.substr(0, length)), Format::kAvif)) << length;
  }
}

}  // namespace
}  // namespace optimux::media
