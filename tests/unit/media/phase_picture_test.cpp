// The ends of phases against reality: what decoders show of a file that is cut there.
#include "media/phase_scanner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using base::Phase;

// As a browser decodes what has come so far: whatever is there, in the size of the whole.
ImageHandle decode_cut(std::string_view bytes) {
  VipsImage* image = nullptr;
  const int outcome = vips_jpegload_buffer(const_cast<char*>(bytes.data()), bytes.size(), &image, "fail_on",
                                           VIPS_FAIL_ON_NONE, nullptr);
  const ImageHandle lazy(image);
  VipsImage* decoded = outcome == 0 ? vips_image_copy_memory(lazy.get()) : nullptr;
  if (decoded == nullptr) ADD_FAILURE() << vips_error_buffer();
  vips_error_clear();
  return ImageHandle(decoded);
}

// Peak signal-to-noise ratio in dB over all bands of 8 bits.
double psnr(VipsImage* left, VipsImage* right) {
  const std::size_t size = VIPS_IMAGE_SIZEOF_IMAGE(left);
  if (size != VIPS_IMAGE_SIZEOF_IMAGE(right)) return 0;
  const auto* a = static_cast<const std::uint8_t*>(vips_image_get_data(left));
  const auto* b = static_cast<const std::uint8_t*>(vips_image_get_data(right));
  double squares = 0;
  for (std::size_t i = 0; i < size; ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return squares == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * static_cast<double>(size) / squares);
}

// How near to the whole picture the file is when it is cut at the end of each phase.
struct Nearness {
  double head = 0, first = 0, good = 0;    ///< dB
  double first_share = 0, good_share = 0;  ///< Of the bytes.
};

Nearness nearness_of(const std::string& jpeg) {
  const auto found = test::find_phases(jpeg, Format::kJpeg);
  const ImageHandle whole = decode_cut(jpeg);
  const auto cut_at = [&](Phase phase) { return static_cast<std::size_t>(test::end_of(phase, found).offset); };
  const auto near = [&](Phase phase) {
    return psnr(whole.get(), decode_cut(std::string_view(jpeg).substr(0, cut_at(phase))).get());
  };
  const auto share = [&](Phase phase) { return static_cast<double>(cut_at(phase)) / static_cast<double>(jpeg.size()); };
  return {near(Phase::kHead), near(Phase::kFirst), near(Phase::kGood), share(Phase::kFirst), share(Phase::kGood)};
}

// Photographs are at 16 to 30 dB after the first scan and at 26 to 38 dB when they are good; at 9 to 18 before both.
void expect_usable(const Nearness& nearness, const std::string& what) {
  EXPECT_GT(nearness.first, nearness.head + 2) << what;
  EXPECT_GT(nearness.first, 15) << what;
  EXPECT_GT(nearness.good, nearness.first + 5) << what;
  EXPECT_GT(nearness.good, 25) << what;
  EXPECT_LT(nearness.first_share, 0.2) << what;
  EXPECT_GT(nearness.good_share, 0.35) << what;
  EXPECT_LT(nearness.good_share, 0.65) << what;
}

std::string rendition(const SourceBuffer& source, int width, int quality) {
  RenderSpec spec;
  spec.sizes = {Size{width, 0}};
  spec.format = Format::kJpeg;
  spec.progressive = true;
  spec.quality = quality;
  const auto rendered = test::render(source, spec);
  EXPECT_TRUE(rendered.report);
  return rendered.bytes();
}

TEST(PhasePicture, CutAtAPhaseAProgressiveJpegShowsWhatThePhasePromises) {
  const auto source = test::save(test::textured(800, 600).get(), ".png");
  expect_usable(nearness_of(rendition(source, 640, 80)), "textured");
}

TEST(PhasePicture, CutPhotographsShowWhatThePhasePromises) {
  const char* given = std::getenv("OPTIMUX_CORPUS");  // NOLINT(concurrency-mt-unsafe): nothing sets it.
  const auto folder = std::filesystem::path(given != nullptr ? given : OPTIMUX_DEFAULT_CORPUS) / "photos";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no " << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jpg") continue;
    VipsImage* photo = nullptr;
    ASSERT_EQ(vips_thumbnail(entry.path().c_str(), &photo, 800, nullptr), 0) << vips_error_buffer();
    const auto source = test::save(ImageHandle(photo).get(), ".png[strip]");
    for (const int width : {300, 800}) {
      const Nearness nearness = nearness_of(rendition(source, width, 80));
      const std::string what = entry.path().filename().string() + " at " + std::to_string(width);
      expect_usable(nearness, what);
    }
  }
}

}  // namespace
}  // namespace optimux::media
