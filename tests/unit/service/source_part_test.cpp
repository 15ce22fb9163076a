#include "service/source_part.hpp"

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

std::string part_of(const media::RenderSpec& spec) {
  return source_part({.source = {}, .render = spec, .via = {}, .outputs = {}});
}

TEST(SourcePart, AllSizesAndFormatsOfAStillNeedTheSame) {
  media::RenderSpec other;
  other.sizes = {{100, 0}, {200, 0}};
  other.format = media::Format::kJpeg;
  other.quality = 30;
  media::RenderSpec png;
  png.format = media::Format::kPng;
  EXPECT_EQ(part_of(other), part_of(png));
}

TEST(SourcePart, PagesFramesAndCutsNeedSomethingElse) {
  media::RenderSpec still;
  still.format = media::Format::kJpeg;
  media::RenderSpec animation;
  animation.format = media::Format::kWebp;
  media::RenderSpec page = still;
  page.page = 1;
  media::RenderSpec frames = still;
  frames.frames = 2;
  media::RenderSpec cut = still;
  cut.crop = media::Crop{{0, false}, {0, false}, {10, false}, {10, true}};
  media::RenderSpec other_cut = still;
  other_cut.crop = media::Crop{{0, false}, {0, false}, {10, false}, {10, false}};
  const media::RenderSpec unknown;
  const std::vector<media::RenderSpec> all = {still, animation, page, frames, cut, other_cut, unknown};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(part_of(all[i]), part_of(all[j])) << i << " and " << j;
  }
}

TEST(SourcePart, ProductsNeedSomethingElse) {
  JobPlan plan;
  const std::string pictures = source_part(plan);
  plan.product = JobPlan::Product::kDescription;
  const std::string description = source_part(plan);
  plan.product = JobPlan::Product::kOriginal;
  EXPECT_NE(pictures, description);
  EXPECT_NE(description, source_part(plan));
}

}  // namespace
}  // namespace optimux::service
