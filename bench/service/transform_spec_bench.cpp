// What it costs to name a rendition.
#include "service/transform_spec.hpp"

#include <benchmark/benchmark.h>

namespace optimux::service {
namespace {

TransformSpec thumbnail() {
  TransformSpec spec;
  spec.source = {.kind = source::SourceLocator::Kind::kHttp,
                 .value = "https://images.example.org/2026/11/photo-0001.jpg"};
  spec.render.sizes = {media::Size{.width = 300, .height = 0}, media::Size{.width = 600, .height = 0}};
  spec.render.format = media::Format::kWebp;
  spec.render.quality = 60;
  return spec;
}

void rendition_key_of_a_thumbnail(benchmark::State& state) {
  const TransformSpec spec = thumbnail();
  for (auto _ : state) benchmark::DoNotOptimize(rendition_key(spec, 0));
}
BENCHMARK(rendition_key_of_a_thumbnail);

void rendition_key_of_a_crop(benchmark::State& state) {
  TransformSpec spec = thumbnail();
  spec.render.dpr = 2;
  spec.render.fit = media::Fit::kCover;
  spec.render.gravity = {.kind = media::GravityKind::kFocalPoint, .x = 0.25, .y = 0.75};
  spec.render.background = media::Colour{.red = 255, .green = 204, .blue = 0};
  spec.render.sharpen = 0.8;
  for (auto _ : state) benchmark::DoNotOptimize(rendition_key(spec, 1));
}
BENCHMARK(rendition_key_of_a_crop);

}  // namespace
}  // namespace optimux::service
