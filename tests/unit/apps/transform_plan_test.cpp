#include "apps/optimux/transform/transform_plan.hpp"

#include "unit/apps/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

using Kind = OutputOptions::Kind;

class TransformPlanTest : public testing::Test {
 protected:
  TransformPlanTest() { arguments_.inputs = {(folder_ / "a.jpg").string()}; }

  base::Result<TransformPlan> plan() const { return make_transform_plan(arguments_); }
  std::string error() const {
    const auto made = plan();
    return made ? "" : made.error().detail;
  }
  Kind kind() const { return plan()->output.kind; }

  TemporaryFolder folder_;
  TransformArguments arguments_;
};

TEST_F(TransformPlanTest, OneInputAndOneSizeGiveAFile) {
  arguments_.output = "out.webp";
  EXPECT_EQ(kind(), Kind::kFile);
}

TEST_F(TransformPlanTest, AFolderIsOneByItsSlashByBeingOneOrByNeed) {
  arguments_.output = "out/";
  EXPECT_EQ(kind(), Kind::kFolder);
  arguments_.output = folder_.path();
  EXPECT_EQ(kind(), Kind::kFolder);
  arguments_.output = "out";
  arguments_.inputs.push_back("b.jpg");
  EXPECT_EQ(kind(), Kind::kFolder);
  arguments_.inputs = {"a.jpg"};
  arguments_.parameters = {{"sizes", "300x0,600x0"}};
  EXPECT_EQ(kind(), Kind::kFolder);
  arguments_.inputs = {folder_.path()};
  arguments_.parameters = {};
  EXPECT_EQ(kind(), Kind::kFolder);
}

TEST_F(TransformPlanTest, SeveralResultsDoNotFitIntoAFile) {
  arguments_.output = folder_.write("there.webp");
  arguments_.parameters = {{"sizes", "300x0,600x0"}};
  EXPECT_EQ(error(), "'" + arguments_.output + "' is no folder, and there are several inputs or sizes");
}

TEST_F(TransformPlanTest, StandardOutputTakesOneRendition) {
  arguments_.output = "-";
  EXPECT_EQ(kind(), Kind::kStandardOutput);
  arguments_.parameters = {{"sizes", "300x0,600x0"}};
  EXPECT_EQ(error(), "standard output (-o -) takes one input and one size");
}

TEST_F(TransformPlanTest, TheExtensionIsTheFormatWhereNoneIsGiven) {
  arguments_.output = "out.WebP";
  EXPECT_EQ(plan()->spec.format, media::Format::kWebp);
  arguments_.parameters = {{"format", "png"}};
  EXPECT_EQ(plan()->spec.format, media::Format::kPng);
  arguments_.parameters = {};
  arguments_.output = "out";
  EXPECT_EQ(plan()->spec.format, std::nullopt);
  arguments_.output = "folder.webp/";
  EXPECT_EQ(plan()->spec.format, std::nullopt);
}

TEST_F(TransformPlanTest, AnExtensionThatIsNotWrittenNeedsAFormat) {
  for (const std::string extension : {".tiff", ".HEIC", ".bmp", ".txt"}) {  // Read, but not written, or neither.
    arguments_.output = "c" + extension;
    arguments_.parameters = {};
    EXPECT_EQ(error(), "'c" + extension + "': " + extension +
                           " is not written; allowed: .jpg, .jpeg, .png, .webp, .avif and .gif (or give --format)");
    arguments_.parameters = {{"format", "jpeg"}};
    EXPECT_EQ(error(), "");
  }
  arguments_.parameters = {};
  arguments_.output = folder_.path();
  EXPECT_EQ(error(), "");
}

TEST_F(TransformPlanTest, LosslessContradictsAnExtensionThatCannotBe) {
  arguments_.parameters = {{"lossless", "true"}};
  arguments_.output = "out.jpg";
  EXPECT_EQ(error(), "'out.jpg': lossless cannot be true with format jpeg; allowed: with webp, avif or png");
  for (const std::string output : {"out.webp", "out.png", "out", "-", "out.jpg/"}) {
    arguments_.output = output;
    EXPECT_EQ(error(), "") << output;
  }
  arguments_.parameters.push_back({"format", "webp"});
  arguments_.output = "out.jpg";
  EXPECT_EQ(error(), "") << "the format is what was asked for";
}

TEST_F(TransformPlanTest, SeveralResultsMakeNoFolderThatIsNamedLikeAPicture) {
  const std::string rest =
      " need a folder, and 'b.avif' is named like a picture; for a folder of that name write 'b.avif/'";
  arguments_.output = "b.avif";
  arguments_.parameters = {{"sizes", "300x0,100x0"}};
  EXPECT_EQ(error(), "several sizes" + rest);
  arguments_.output = "b.avif/";
  EXPECT_EQ(error(), "");
  arguments_.output = "b.avif";
  arguments_.parameters = {};
  arguments_.inputs.push_back("b.jpg");
  EXPECT_EQ(error(), "several inputs" + rest);
  arguments_.output = (folder_ / "there.webp").string();
  std::filesystem::create_directory(arguments_.output);
  EXPECT_EQ(error(), "");
}

TEST_F(TransformPlanTest, NorOneThatIsNamedLikeAPictureThatIsOnlyRead) {
  arguments_.output = "x.tiff";
  arguments_.parameters = {{"sizes", "300x0,100x0"}, {"format", "png"}};
  EXPECT_TRUE(error().starts_with("several sizes need a folder, and 'x.tiff' is named like a picture"));
}

TEST_F(TransformPlanTest, OneSizeInSeveralSpellingsIsOne) {
  arguments_.output = "out.webp";
  arguments_.parameters = {{"sizes", "24,24x,24x0"}};
  EXPECT_EQ(plan()->spec.sizes, (std::vector<media::Size>{{24, 0}}));
  EXPECT_EQ(kind(), Kind::kFile);
  arguments_.output = "out/";
  arguments_.parameters = {{"sizes", "0x24,24,0x24"}};
  EXPECT_EQ(plan()->spec.sizes, (std::vector<media::Size>{{0, 24}, {24, 0}}));
}

TEST_F(TransformPlanTest, AFolderThatIsInputAndOutputNeedsAFormat) {
  folder_.write("a.jpg");
  arguments_.inputs = {folder_.path()};
  arguments_.output = folder_.path();
  EXPECT_EQ(error(), "'" + arguments_.output +
                         "' is an input and the output: name the --format that tells results from inputs, or another "
                         "folder");
  arguments_.parameters = {{"format", "webp"}};
  ASSERT_EQ(error(), "");
  EXPECT_EQ(plan()->inputs.inputs.size(), 1U);
}

TEST_F(TransformPlanTest, NamesAreForFolders) {
  arguments_.output = "out.webp";
  arguments_.name = "{stem}.{ext}";
  EXPECT_EQ(error(), "--name needs a folder as output");
  arguments_.output = "out/";
  EXPECT_EQ(error(), "");
  arguments_.name = "{nothing}";
  EXPECT_NE(error(), "");
  arguments_.name = "";
  EXPECT_NE(error().find("there is no file name"), std::string::npos);
}

TEST_F(TransformPlanTest, WhatNeedsAClientIsRefused) {
  arguments_.output = "out.webp";
  arguments_.parameters = {{"format", "auto"}};
  EXPECT_EQ(error(), "format=auto needs a client that says what it accepts: name a format");
  arguments_.parameters = {{"format", "original"}};
  EXPECT_NE(error(), "");
  arguments_.parameters = {{"encoder", "json"}};
  EXPECT_EQ(error(), "encoder=json answers requests; see --json");
}

TEST_F(TransformPlanTest, AParameterOutOfRangeIsNamed) {
  arguments_.output = "out.webp";
  arguments_.parameters = {{"quality", "101"}};
  EXPECT_NE(error().find("quality"), std::string::npos);
}

TEST_F(TransformPlanTest, ExistingFiles) {
  arguments_.output = "out.webp";
  EXPECT_EQ(plan()->output.existing, ExistingFile::kRefuse);
  arguments_.skip_existing = true;
  EXPECT_EQ(plan()->output.existing, ExistingFile::kSkip);
  arguments_.skip_existing = false;
  arguments_.overwrite = true;
  EXPECT_EQ(plan()->output.existing, ExistingFile::kOverwrite);
}

}  // namespace
}  // namespace optimux::apps
