#include "media/gif_phases.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using base::Phase;
using test::find_phases;
using test::save;
using test::text_of;

// The descriptor of a frame of 60 x 40 at the top left.
constexpr std::string_view kFrame("\x2c\0\0\0\0\x3c\0\x28\0", 9);

// libvips writes a loop into all files but those that are shown once.
std::string still() {
  const auto image = test::textured(60, 40);
  vips_image_set_int(image.get(), "loop", 1);
  return std::string(text_of(save(image.get(), ".gif")));
}

TEST(GifPhases, StillsHaveAHeadAlone) {
  const std::string text = still();
  const auto found = find_phases(text, Format::kGif);
  ASSERT_EQ(found.ends.size(), 2u);
  EXPECT_EQ(found.ends[0].phase, Phase::kHead);
  EXPECT_EQ(found.ends[0].offset, text.find(kFrame) + 10);
  EXPECT_EQ(found.ends[1].phase, Phase::kGood);
  EXPECT_EQ(found.ends[1].offset, found.ends[0].offset);
}

TEST(GifPhases, AnimationIsGoodWithItsFirstFrame) {
  const std::string text(text_of(save(test::animation(60, 40, 4).get(), ".gif")));
  const auto found = find_phases(text, Format::kGif);
  ASSERT_EQ(found.ends.size(), 2u);
  EXPECT_EQ(found.ends[0].offset, text.find(kFrame) + 10);
  EXPECT_EQ(found.ends[1].phase, Phase::kGood);
  EXPECT_EQ(found.ends[1].part, "frame");
  const auto offset = static_cast<std::size_t>(found.ends[1].offset);
  EXPECT_EQ(text[offset - 1], '\0') << "the empty block that ends the frame";
  EXPECT_EQ(text.substr(offset, 2), "!\xf9") << "the control of the second one";
  EXPECT_EQ(test::read_back(text.substr(0, offset) + ";", Format::kGif)->Ysize, 40);
}

TEST(GifPhases, UnknownBlocksEndIt) {
  std::string text = still();
  text[text.find(kFrame)] = 'x';
  PhaseScanner scanner(Format::kGif);
  EXPECT_TRUE(scanner.feed(std::as_bytes(std::span(text))).empty());
  EXPECT_TRUE(scanner.is_done());
}

}  // namespace
}  // namespace optimux::media
