#include "media/heif_phases.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using namespace std::string_literals;
using base::Phase;
using test::find_phases;

TEST(HeifPhases, HeadEndsWithTheMetaBox) {
  const std::string text(test::text_of(test::save(test::textured(64, 48).get(), ".avif")));
  const auto found = find_phases(text, Format::kAvif);
  ASSERT_EQ(found.ends.size(), 2u);
  EXPECT_EQ(found.ends[0].phase, Phase::kHead);
  EXPECT_EQ(found.ends[0].offset, text.find("mdat") - 4);
  EXPECT_EQ(found.ends[1].phase, Phase::kGood);
  EXPECT_EQ(found.ends[1].offset, found.ends[0].offset);
}

TEST(HeifPhases, BoxesOfAnySizeArePassedOver) {
  const std::string large = "\0\0\0\x01"s + "free" + "\0\0\0\0\0\0\0\x14"s + "1234";
  const std::string text = "\0\0\0\x0c"s + "ftypavif" + large + "\0\0\0\x09"s + "meta" + "x";
  const auto found = find_phases(text, Format::kAvif);
  ASSERT_EQ(found.ends.size(), 2u);
  EXPECT_EQ(found.ends[0].offset, text.size());
  EXPECT_TRUE(find_phases(text.substr(0, text.size() - 1), Format::kAvif).ends.empty());
}

TEST(HeifPhases, BoxesSmallerThanTheirHeaderEndIt) {
  for (const std::string& box :
       {"\0\0\0\x07"s + "free", "\0\0\0\0"s + "free", "\0\0\0\x01"s + "free" + "\0\0\0\0\0\0\0\x0f"s}) {
    PhaseScanner scanner(Format::kAvif);
    const std::string text = box + "\0\0\0\x09"s + "meta" + "x";
    EXPECT_TRUE(scanner.feed(std::as_bytes(std::span(text))).empty());
    EXPECT_TRUE(scanner.is_done());
  }
}

}  // namespace
}  // namespace optimux::media
