#include "apps/optimux/inspect/examination.hpp"

#include "apps/optimux/inspect/examination_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace optimux::apps {
namespace {

using base::Phase;

Examination examination() {
  Examination made;
  made.info.format = media::Format::kJpeg;
  made.info.width = 40;
  made.info.height = 30;
  made.info.is_progressive = true;
  made.info.bytes = 1000;
  made.found.ends = {{Phase::kHead, 100, "header", 0}, {Phase::kFirst, 205, "scan", 1}, {Phase::kGood, 500, "scan", 2}};
  media::JpegScan means;
  means.components = 5;
  means.bit = 1;
  means.end = 205;
  media::JpegScan refining = means;
  refining.components = 1;
  refining.first_coefficient = 1;
  refining.last_coefficient = 63;
  refining.bit_before = 1;
  refining.bit = 0;
  refining.end = 500;
  made.found.scans = {means, refining};
  return made;
}

// The ends of all four phases.
std::vector<std::uint64_t> ends_of(const Examination& one) {
  std::vector<std::uint64_t> ends;
  for (const media::PhaseEnd& end : one.phases()) ends.push_back(end.offset);
  return ends;
}

TEST(Examination, EveryPhaseHasAnEnd) {
  Examination one = examination();
  EXPECT_EQ(ends_of(one), (std::vector<std::uint64_t>{100, 205, 500, 1000}));
  one.found.ends = {{Phase::kHead, 30, "header", 0}, {Phase::kGood, 670, "frame", 1}};
  EXPECT_EQ(ends_of(one), (std::vector<std::uint64_t>{30, 670, 670, 1000}));
  EXPECT_EQ(one.phases()[1].phase, Phase::kFirst);
  one.found.ends = {{Phase::kHead, 30, "header", 0}};
  EXPECT_EQ(ends_of(one), (std::vector<std::uint64_t>{30, 1000, 1000, 1000})) << "what is not found ends with the file";
  one.found.ends.clear();
  EXPECT_EQ(ends_of(one), (std::vector<std::uint64_t>{1000, 1000, 1000, 1000}));
}

TEST(Examination, PicturesOfAnySizeAreRead) {
  const std::string huge("GIF89a\xff\xff\xff\xff\0\0\0\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x44\x01\0;", 29);
  const auto one = examine(std::as_bytes(std::span(huge)));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->info.width, 65'535);
  EXPECT_EQ(one->info.bytes, huge.size());
  EXPECT_EQ(ends_of(*one), (std::vector<std::uint64_t>{23, 23, 23, 29}));
  EXPECT_FALSE(examine(std::as_bytes(std::span("no picture"))));
}

TEST(ExaminationReport, PhasesThatEndTogetherShareALine) {
  Examination one = examination();
  one.found.scans.clear();
  one.found.ends = {{Phase::kHead, 30, "header", 0}, {Phase::kGood, 30, "header", 0}};
  EXPECT_EQ(to_text("a.jpg", one),
            "a.jpg: jpeg, progressive, 40 x 30 pixels, 1000 bytes\n"
            "phase               end   of all  what ends there\n"
            "head, first, good    30    3.0 %           header\n"
            "full               1000  100.0 %             file\n"
            "no preview: all of the picture shows at its end only\n");
}

TEST(ExaminationReport, ScansAreListed) {
  const std::string text = to_text("a.jpg", examination());
  EXPECT_EQ(text.find("no preview"), std::string::npos) << text;
  EXPECT_NE(text.find("good    500   50.0 %           scan 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   1         1 3             0           1  205  20.5 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   2           1          1-63      1 to 0  500  50.0 %\n"), std::string::npos) << text;
}

TEST(ExaminationReport, JsonHasTheSame) {
  const auto object = nlohmann::json::parse(to_json("a.jpg", examination()));
  EXPECT_EQ(object["input"], "a.jpg");
  EXPECT_EQ(object["pixels"], 1200);
  EXPECT_EQ(object["phases"][1],
            (nlohmann::json{{"phase", "first"}, {"end", 205}, {"percent", 20.5}, {"part", "scan"}, {"number", 1}}));
  EXPECT_EQ(object["phases"][3],
            (nlohmann::json{{"phase", "full"}, {"end", 1000}, {"percent", 100}, {"part", "file"}}));
  EXPECT_EQ(object["scans"][0]["components"], (std::vector<int>{1, 3}));
  EXPECT_FALSE(object["scans"][0].contains("bit_before"));
  EXPECT_EQ(object["scans"][1]["bit_before"], 1);
}

TEST(ExaminationReport, ErrorsAreObjectsToo) {
  const auto object = nlohmann::json::parse(to_json("a\xff", {base::ErrorCode::kBrokenMedia, "damaged", "png: cut"}));
  EXPECT_EQ(object["input"], "a\xef\xbf\xbd");
  EXPECT_EQ(object["error"]["code"], "broken_media");
  EXPECT_EQ(object["error"]["cause"], "png: cut");
}

}  // namespace
}  // namespace optimux::apps
