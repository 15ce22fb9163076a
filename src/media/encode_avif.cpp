#include "media/encode_avif.hpp"

namespace optimux::media {

namespace {

struct EffortLimit {
  std::int64_t pixels;
  int effort;
};

// What takes about 15 CPU seconds at the most: a megapixel at quality 63 takes 0.2 s with effort 2, 1.0 with 4, 1.4
// with 5, 3.5 with 6, 7.2 with 7 and 15.7 with 9 (libaom 3.6 on an AMD EPYC at about 3 GHz).
constexpr EffortLimit kEffortLimits[] = {
    {1'000'000, 9}, {2'000'000, 7}, {4'000'000, 6}, {10'000'000, 5}, {15'000'000, 4}};
constexpr int kEffortOfLarger = 2;

}  // namespace

int most_avif_effort(std::int64_t pixels) {
  for (const EffortLimit& limit : kEffortLimits) {
    if (pixels <= limit.pixels) return limit.effort;
  }
  return kEffortOfLarger;
}

int encode_avif(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  constexpr int kDefaultQuality = 63;
  return vips_heifsave_target(image, target, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "Q",
                              spec.quality.value_or(kDefaultQuality), "effort",
                              spec.effort.value_or(kDefaultAvifEffort), "lossless",
                              static_cast<gboolean>(spec.lossless), "strip", static_cast<gboolean>(strip), nullptr);
}

}  // namespace optimux::media
