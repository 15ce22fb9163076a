#include "media/memory_estimate.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

ImageInfo info(Format format, int width, int height) {
  ImageInfo made;
  made.format = format;
  made.width = width;
  made.height = height;
  return made;
}

std::uint64_t estimate(const ImageInfo& source, const RenderSpec& spec) {
  return estimate_render_memory(source, spec, MediaLimits{});
}

const RenderSpec kThumbnail{.sizes = {Size{300, 0}}, .format = Format::kWebp};
constexpr std::uint64_t kMegabyte = 1'000'000;

TEST(MemoryEstimate, IsSmallForAPhotoThatShrinksWhileItIsRead) {
  EXPECT_LT(estimate(info(Format::kJpeg, 4608, 3456), kThumbnail), 10 * kMegabyte);
}

TEST(MemoryEstimate, CountsTheWholePictureWhereTheDecoderKeepsIt) {
  const auto pixels = std::uint64_t{4608} * 3456;
  ImageInfo progressive = info(Format::kJpeg, 4608, 3456);
  progressive.is_progressive = true;
  EXPECT_GT(estimate(progressive, kThumbnail), pixels * 6) << "coefficients of 16 bits";
  progressive.samples = 10;
  EXPECT_GT(estimate(progressive, kThumbnail), pixels * 20);
  ImageInfo interlaced = info(Format::kPng, 4608, 3456);
  EXPECT_LT(estimate(interlaced, kThumbnail), pixels);
  interlaced.is_progressive = true;
  EXPECT_GT(estimate(interlaced, kThumbnail), pixels * 3);
  EXPECT_GT(estimate(info(Format::kWebp, 4608, 3456), kThumbnail), pixels * 3);
}

TEST(MemoryEstimate, CountsEveryFrameThatIsKept) {
  ImageInfo animation = info(Format::kGif, 500, 500);
  animation.pages = 100;
  const RenderSpec whole{.format = Format::kGif};
  const RenderSpec still{.format = Format::kPng};
  EXPECT_GT(estimate(animation, whole), std::uint64_t{500} * 500 * 4 * 100);
  EXPECT_LT(estimate(animation, still), std::uint64_t{500} * 500 * 4 * 10);
}

TEST(MemoryEstimate, CountsTheFramesThatAreAskedForOnly) {
  const std::uint64_t frame = std::uint64_t{500} * 500 * 4;
  ImageInfo pages = info(Format::kGif, 500, 500);
  pages.pages = 100;
  EXPECT_LT(estimate(pages, {.format = Format::kGif, .frames = 3}), frame * 20);
  EXPECT_GT(estimate(pages, {.format = Format::kGif, .frames = 30}), frame * 30);
  EXPECT_EQ(estimate(pages, {.format = Format::kGif, .page = 98, .frames = 30}),
            estimate(pages, {.format = Format::kGif, .page = 98}));
  pages.format = Format::kTiff;
  EXPECT_LT(estimate(pages, {.format = Format::kWebp}), frame * 20) << "of a document one page";
  EXPECT_GT(estimate(pages, {.format = Format::kWebp, .frames = -1}), frame * 100);
}

// The render says what is wrong with the page; an estimate that wraps around would say it wants all memory there is.
TEST(MemoryEstimate, CountsAPageThatIsNotThereAsTheLastOne) {
  ImageInfo animation = info(Format::kGif, 500, 500);
  animation.pages = 10;
  const std::uint64_t last = estimate(animation, {.format = Format::kGif, .page = 9});
  EXPECT_EQ(estimate(animation, {.format = Format::kGif, .page = 10}), last);
  EXPECT_EQ(estimate(animation, {.format = Format::kGif, .page = 99}), last);
}

TEST(MemoryEstimate, FollowsWhatTheHeaderSaysOfTheDecoder) {
  ImageInfo tiff = info(Format::kTiff, 4000, 3000);
  const std::uint64_t bare = estimate(tiff, kThumbnail);
  EXPECT_LT(bare, std::uint64_t{4000} * 3000);
  tiff.decoder_bytes = 70 * kMegabyte;
  EXPECT_EQ(estimate(tiff, kThumbnail), bare + 70 * kMegabyte);
  tiff.samples = 5;
  EXPECT_GT(estimate(tiff, kThumbnail), bare + 70 * kMegabyte);
}

TEST(MemoryEstimate, CountsTheCopyThatAnOddJpegNeeds) {
  std::string text(test::text_of(test::save(test::gradient(40, 30).get(), ".jpg[strip]")));
  EXPECT_EQ(test::executor().inspect(test::source_of(text), {})->decoder_bytes, 0U);
  text.insert(2, std::string("\xff\0", 2));
  EXPECT_EQ(test::executor().inspect(test::source_of(text), {})->decoder_bytes, text.size());
}

// libvips counts what it allocates itself: pixels, not the codecs' own memory. The estimate has to be above that. The
// counter keeps its highest value for ever, so that a render shows its peak only where it is a new one.
TEST(MemoryEstimate, IsAboveWhatLibvipsTakes) {
  const auto image = test::gradient(1600, 1200);
  const RenderSpec several{.sizes = {Size{600, 0}, Size{300, 0}}, .format = Format::kJpeg};
  for (const char* suffix : {".jpg", ".png", ".webp", ".jpg[interlace]", ".tif", ".png[interlace]", ".tif[tile]",
                             ".tif[compression=deflate,predictor=horizontal]"}) {
    const auto source = test::save(image.get(), suffix);
    const auto source_info = test::executor().inspect(source, {});
    ASSERT_TRUE(source_info);
    for (const RenderSpec& spec : {kThumbnail, several, RenderSpec{.format = Format::kJpeg}}) {
      const std::size_t before = vips_tracked_get_mem();
      const std::size_t highest_before = vips_tracked_get_mem_highwater();
      ASSERT_TRUE(test::render(source, spec).report);
      const std::size_t highest = vips_tracked_get_mem_highwater();
      EXPECT_LE(vips_tracked_get_mem(), before + kMegabyte) << "what a render takes it gives back";
      EXPECT_TRUE(highest == highest_before || highest - before <= estimate(*source_info, spec))
          << suffix << " " << spec.sizes.size() << ": " << highest - before << " against "
          << estimate(*source_info, spec);
    }
  }
}

}  // namespace
}  // namespace optimux::media
