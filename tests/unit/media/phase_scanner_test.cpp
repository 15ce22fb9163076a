#include "media/phase_scanner.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using base::Phase;
using test::find_phases;
using test::save;
using test::text_of;

struct Sample {
  Format format;
  std::string bytes;
};

std::string saved(VipsImage* image, const std::string& suffix) {
  return std::string(text_of(save(image, suffix)));
}

// One of every kind that scanners tell apart, small enough to be cut everywhere.
std::vector<Sample> samples() {
  const auto still = test::textured(40, 30);
  const auto clear = test::gradient_with_alpha(40, 30);
  const auto moving = test::animation(40, 30, 3);
  return {{Format::kJpeg, saved(still.get(), ".jpg")},   {Format::kJpeg, saved(still.get(), ".jpg[interlace]")},
          {Format::kPng, saved(still.get(), ".png")},    {Format::kPng, saved(still.get(), ".png[interlace]")},
          {Format::kWebp, saved(still.get(), ".webp")},  {Format::kWebp, saved(clear.get(), ".webp[lossless]")},
          {Format::kWebp, saved(moving.get(), ".webp")}, {Format::kGif, saved(still.get(), ".gif")},
          {Format::kGif, saved(moving.get(), ".gif")},   {Format::kAvif, saved(still.get(), ".avif")}};
}

std::string name(const Sample& sample) {
  return std::string(name_of(sample.format)) + " of " + std::to_string(sample.bytes.size());
}

// What must hold for all bytes: ends in the order of phases, within what was fed.
void expect_sound(const PhaseFindings& found, std::size_t fed, const std::string& what) {
  ASSERT_LE(found.ends.size(), 3u) << what;
  for (std::size_t i = 0; i < found.ends.size(); ++i) {
    ASSERT_LE(found.ends[i].offset, fed) << what;
    ASSERT_NE(found.ends[i].phase, Phase::kFull) << what;
    if (i == 0) continue;
    ASSERT_GT(found.ends[i].phase, found.ends[i - 1].phase) << what;
    ASSERT_GE(found.ends[i].offset, found.ends[i - 1].offset) << what;
  }
}

TEST(PhaseScanner, EverySampleIsUnderstood) {
  for (const Sample& sample : samples()) {
    const auto found = find_phases(sample.bytes, sample.format);
    ASSERT_FALSE(found.ends.empty()) << name(sample);
    EXPECT_EQ(found.ends.front().phase, Phase::kHead) << name(sample);
    EXPECT_EQ(found.ends.back().phase, Phase::kGood) << name(sample);
    EXPECT_GT(found.ends.front().offset, 0u) << name(sample);
  }
}

TEST(PhaseScanner, PiecesOfAnySizeGiveTheSameEnds) {
  for (const Sample& sample : samples()) {
    const auto whole = find_phases(sample.bytes, sample.format);
    for (const std::size_t step : {1u, 2u, 3u, 7u, 64u, 1000u}) {
      EXPECT_EQ(find_phases(sample.bytes, sample.format, step).ends, whole.ends) << name(sample) << " by " << step;
    }
  }
}

// Nothing is told late: who marks bytes before sending them never has to take a mark back.
TEST(PhaseScanner, EndsAreToldWithTheirLastByte) {
  for (const Sample& sample : samples()) {
    PhaseScanner scanner(sample.format);
    for (std::size_t i = 0; i < sample.bytes.size(); ++i) {
      for (const PhaseEnd& end : scanner.feed(std::as_bytes(std::span(sample.bytes).subspan(i, 1)))) {
        EXPECT_EQ(end.offset, i + 1) << name(sample);
      }
    }
  }
}

TEST(PhaseScanner, EveryTruncationHasTheEndsThatAreThere) {
  for (const Sample& sample : samples()) {
    const auto whole = find_phases(sample.bytes, sample.format);
    for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
      auto there = whole.ends;
      std::erase_if(there, [size](const PhaseEnd& end) { return end.offset > size; });
      ASSERT_EQ(find_phases(sample.bytes.substr(0, size), sample.format).ends, there) << name(sample) << " at " << size;
    }
  }
}

TEST(PhaseScanner, MutationsGiveSoundEndsHoweverTheyAreCut) {
  std::mt19937 random(11);
  for (const Sample& sample : samples()) {
    for (int round = 0; round < 300; ++round) {
      std::string bytes = sample.bytes;
      for (unsigned i = 0; i <= random() % 8; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
      if (random() % 4 == 0) bytes.erase(random() % bytes.size(), random() % 100);
      if (random() % 4 == 0) bytes.insert(random() % bytes.size(), bytes, random() % bytes.size(), random() % 100);
      const auto found = find_phases(bytes, sample.format);
      expect_sound(found, bytes.size(), name(sample));
      ASSERT_EQ(find_phases(bytes, sample.format, 1 + random() % 50).ends, found.ends) << name(sample);
    }
  }
}

TEST(PhaseScanner, RandomBytesGiveSoundEndsHoweverTheyAreCut) {
  std::mt19937 random(12);
  for (const Sample& sample : samples()) {
    for (int round = 0; round < 200; ++round) {
      // The beginning is right, so that the scanner comes to what follows it.
      std::string bytes = sample.bytes.substr(0, random() % 64);
      for (unsigned i = 0; i < random() % 3000; ++i) bytes += static_cast<char>(random());
      const auto found = find_phases(bytes, sample.format);
      expect_sound(found, bytes.size(), name(sample));
      ASSERT_EQ(find_phases(bytes, sample.format, 1 + random() % 50).ends, found.ends) << name(sample);
    }
  }
}

TEST(PhaseScanner, TiffHasNoPhases) {
  PhaseScanner scanner(Format::kTiff);
  EXPECT_TRUE(scanner.is_done());
  EXPECT_TRUE(scanner.feed(std::as_bytes(std::span("II*"))).empty());
}

}  // namespace
}  // namespace optimux::media
