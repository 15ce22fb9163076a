#include "media/webp_phases.hpp"

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

std::string little_endian(std::size_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

// The picture of a file alone, as in files without a canvas.
std::string without_canvas(std::string_view file, std::string_view type) {
  const std::string_view picture = file.substr(file.find(type));
  return "RIFF" + little_endian(4 + picture.size()) + "WEBP" + std::string(picture);
}

TEST(WebpPhases, StillsHaveAHeadAlone) {
  const auto plain = test::textured(60, 40);
  const std::string lossy(text_of(save(plain.get(), ".webp[strip]")));
  const std::string lossless(text_of(save(plain.get(), ".webp[strip,lossless]")));
  const std::string clear(text_of(save(test::gradient_with_alpha(60, 40).get(), ".webp")));
  ASSERT_EQ(clear.substr(12, 4), "VP8X");
  for (const std::string& text : {without_canvas(lossy, "VP8 "), without_canvas(lossless, "VP8L"), clear}) {
    EXPECT_EQ(test::read_back(text, Format::kWebp)->Xsize, 60);
    const auto found = find_phases(text, Format::kWebp);
    ASSERT_EQ(found.ends.size(), 2u);
    EXPECT_EQ(found.ends[0], (PhaseEnd{Phase::kHead, 30, "header", 0}));
    EXPECT_EQ(found.ends[1], (PhaseEnd{Phase::kGood, 30, "header", 0}));
  }
}

TEST(WebpPhases, AnimationIsGoodWithItsFirstFrame) {
  const std::string text(text_of(save(test::animation(60, 40, 4).get(), ".webp")));
  const auto found = find_phases(text, Format::kWebp);
  ASSERT_EQ(found.ends.size(), 2u);
  EXPECT_EQ(found.ends[0].offset, 30u);
  EXPECT_EQ(found.ends[1].phase, Phase::kGood);
  EXPECT_EQ(found.ends[1].part, "frame");
  EXPECT_EQ(found.ends[1].number, 1);
  const std::size_t first = text.find("ANMF");
  EXPECT_EQ(found.ends[1].offset, text.find("ANMF", first + 1)) << "where the second frame begins";
}

TEST(WebpPhases, CanvasThatIsTooShortEndsIt) {
  std::string text(text_of(save(test::animation(60, 40, 2).get(), ".webp")));
  text[16] = 9;
  PhaseScanner scanner(Format::kWebp);
  EXPECT_EQ(scanner.feed(std::as_bytes(std::span(text))).size(), 1u);
  EXPECT_TRUE(scanner.is_done());
}

}  // namespace
}  // namespace optimux::media
