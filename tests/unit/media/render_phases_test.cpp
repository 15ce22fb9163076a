// Renditions carry the ends of their phases, and keep them.
#include "media/body_target.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using base::Phase;
using base::PhaseSpan;

RenderSpec spec_of(Format format, bool progressive = false) {
  RenderSpec spec;
  spec.sizes = {Size{200, 0}};
  spec.format = format;
  spec.progressive = progressive;
  return spec;
}

std::vector<PhaseSpan> spans_of(const base::SharedBody& body) {
  std::vector<PhaseSpan> spans;
  for (std::uint64_t offset = 0; offset < body.size(); offset = *spans.back().end)
    spans.push_back(body.phase_at(offset));
  return spans;
}

TEST(RenderPhases, AProgressiveJpegHasAllFour) {
  const auto rendered = test::render(test::save(test::textured(400, 300).get(), ".png"), spec_of(Format::kJpeg, true));
  ASSERT_TRUE(rendered.report);
  const auto spans = spans_of(*rendered.bodies[0]);
  const auto found = test::find_phases(rendered.bytes(), Format::kJpeg);
  ASSERT_EQ(spans.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(spans[i], (PhaseSpan{found.ends[i].phase, found.ends[i].offset}));
  EXPECT_EQ(spans[3], (PhaseSpan{Phase::kFull, rendered.bytes().size()}));
}

TEST(RenderPhases, FormatsThatShowNothingBeforeTheirEndHaveAHeadAndARest) {
  for (const Format format : {Format::kJpeg, Format::kPng, Format::kWebp, Format::kAvif, Format::kGif}) {
    const auto rendered = test::render(test::save(test::textured(400, 300).get(), ".png"), spec_of(format));
    ASSERT_TRUE(rendered.report);
    const auto spans = spans_of(*rendered.bodies[0]);
    ASSERT_EQ(spans.size(), 2u) << name_of(format);
    EXPECT_EQ(spans[0].phase, Phase::kHead) << name_of(format);
    EXPECT_EQ(spans[1].phase, Phase::kFull) << name_of(format);
    EXPECT_LT(*spans[0].end, 2'000u) << name_of(format);
  }
}

TEST(RenderPhases, AnInterlacedPngHasAllFour) {
  const auto rendered = test::render(test::save(test::textured(400, 300).get(), ".png"), spec_of(Format::kPng, true));
  EXPECT_EQ(spans_of(*rendered.bodies[0]).size(), 4u);
}

// Whoever is woken by bytes knows their phase.
TEST(RenderPhases, EndsAreKnownBeforeTheirBytesAreThere) {
  const std::string bytes(test::text_of(test::save(test::textured(40, 30).get(), ".webp")));
  const OperationControl control;
  const auto body = std::make_shared<base::SharedBody>();
  body->start({.has_phases = true});
  auto reader = body->attach();
  reader.acknowledge_head();
  PhaseSpan seen;
  ASSERT_TRUE(reader.wait([&] { seen = body->phase_at(0); }));
  const BodyTarget target(*body, Format::kWebp, control);
  ASSERT_EQ(vips_target_write(target.get(), bytes.data(), bytes.size()), 0);
  ASSERT_EQ(vips_target_end(target.get()), 0);
  EXPECT_EQ(seen, (PhaseSpan{Phase::kHead, 30}));
}

// Behind what is not understood all is the rest, and not the head of a picture for good.
TEST(RenderPhases, WhatIsNotUnderstoodIsTheRest) {
  const std::string damaged = std::string(8, 's') + std::string("\0\0\0\0IDAT", 8);
  const std::string bytes(100, 'x');
  const OperationControl control;
  base::SharedBody body;
  body.start({.has_phases = true});
  const BodyTarget target(body, Format::kPng, control);
  ASSERT_EQ(vips_target_write(target.get(), damaged.data(), damaged.size()), 0);
  ASSERT_EQ(vips_target_write(target.get(), bytes.data(), bytes.size()), 0);
  ASSERT_EQ(vips_target_end(target.get()), 0);
  EXPECT_EQ(body.phase_at(0), (PhaseSpan{Phase::kHead, body.size()}));
  EXPECT_EQ(body.phase_at(body.size()), (PhaseSpan{Phase::kFull, std::nullopt}));
}

}  // namespace
}  // namespace optimux::media
