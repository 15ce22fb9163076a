#include "apps/optimux/transform/output_plan.hpp"

#include "unit/apps/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

class OutputPlanTest : public testing::Test {
 protected:
  OutputPlan make(ExistingFile existing = ExistingFile::kRefuse, std::string_view name = "{stem}-{size}.{ext}",
                  std::set<FileIdentity> inputs = {}) {
    return OutputPlan({.kind = OutputOptions::Kind::kFolder,
                       .path = folder_.path(),
                       .name = *NameTemplate::parse(name),
                       .existing = existing},
                      spec_, std::move(inputs));
  }
  static std::string error_of(const tl::expected<OutputPlan::Verdict, Failure>& verdict) {
    return verdict ? "" : verdict.error().detail;
  }

  TemporaryFolder folder_;
  media::RenderSpec spec_{.sizes = {{300, 0}, {0, 600}}};
  const Input input_{
      .kind = Input::Kind::kFile, .name = "in/x/photo.jpg", .folder = "x", .file_name = "photo.jpg", .stem = "photo"};
};

TEST_F(OutputPlanTest, APathIsKnownBeforehandWhereTheFormatIs) {
  EXPECT_EQ(make().path_for(input_, 0), std::nullopt);
  spec_.format = media::Format::kWebp;
  EXPECT_EQ(make().path_for(input_, 0), folder_ / "x/photo-300x0.webp");
  EXPECT_EQ(make().path_for(input_, 1), folder_ / "x/photo-0x600.webp");
}

TEST_F(OutputPlanTest, TheFirstBytesOfAFileTellItsOwnFormat) {
  Input input = input_;
  input.name = folder_.write("in/really.jpg", "GIF89a and so on").string();
  EXPECT_EQ(make().path_for(input, 0), folder_ / "x/photo-300x0.gif");
  input.name = folder_.write("in/scan.jpg", std::string("II\x2a\0", 4)).string();
  EXPECT_EQ(make().path_for(input, 0), std::nullopt);  // TIFF is not written: JPEG or PNG, as its alpha decides.
  input.name = folder_.path().string();
  EXPECT_EQ(make().path_for(input, 0), std::nullopt);
  spec_.format = media::Format::kPng;
  EXPECT_EQ(make().path_for(input, 0), folder_ / "x/photo-300x0.png");
}

TEST_F(OutputPlanTest, ScriptsCanTellRefusalsApart) {
  const auto input = folder_.write("a.jpg");
  OutputPlan plan = make(ExistingFile::kRefuse, "{stem}", {identity_of(input)});
  EXPECT_EQ(plan.claim(input).error().code, "is_input");
  EXPECT_EQ(plan.claim(folder_.write("there")).error().code, "exists");
  EXPECT_TRUE(plan.claim(folder_ / "new"));
  EXPECT_EQ(plan.claim(folder_ / "new").error().code, "name_taken");
}

TEST_F(OutputPlanTest, TheHeadSettlesTheRest) {
  const base::BodyHead head{.content_type = "image/png", .width = 300, .height = 169};
  OutputPlan plan = make(ExistingFile::kRefuse, "{stem}-{width}x{height}.{ext}");
  EXPECT_EQ(plan.path_for(input_, 0), std::nullopt);
  EXPECT_EQ(plan.path_for(input_, 0, &head), folder_ / "x/photo-300x169.png");
}

TEST_F(OutputPlanTest, AnInputIsNeverOverwritten) {
  const auto input = folder_.write("a.jpg");
  std::filesystem::create_hard_link(input, folder_ / "twin.jpg");
  OutputPlan plan = make(ExistingFile::kOverwrite, "{stem}", {identity_of(input)});
  EXPECT_EQ(error_of(plan.claim(folder_ / "twin.jpg")),
            "'" + (folder_ / "twin.jpg").string() + "' is one of the inputs, and inputs are never overwritten");
}

TEST_F(OutputPlanTest, APathIsGivenOnlyOnce) {
  OutputPlan plan = make(ExistingFile::kOverwrite);
  EXPECT_EQ(plan.claim(folder_ / "a"), OutputPlan::Verdict::kWrite);
  EXPECT_NE(error_of(plan.claim(folder_ / "a")).find("is the output of another input or size too"), std::string::npos);
}

TEST_F(OutputPlanTest, WhatExistsIsRefusedSkippedOrOverwritten) {
  folder_.write("a");
  EXPECT_NE(error_of(make().claim(folder_ / "a")).find("exists; give --overwrite or --skip-existing"),
            std::string::npos);
  EXPECT_EQ(make(ExistingFile::kSkip).claim(folder_ / "a"), OutputPlan::Verdict::kSkip);
  EXPECT_EQ(make(ExistingFile::kSkip).claim(folder_ / "b"), OutputPlan::Verdict::kWrite);
  EXPECT_EQ(make(ExistingFile::kOverwrite).claim(folder_ / "a"), OutputPlan::Verdict::kWrite);
}

TEST_F(OutputPlanTest, ADeviceIsNothingThatIsReplaced) {
  EXPECT_EQ(make().claim("/dev/null"), OutputPlan::Verdict::kWrite);
}

}  // namespace
}  // namespace optimux::apps
