#include "media/frame_selection.hpp"

#include <gtest/gtest.h>

namespace optimux::media {
namespace {

SourceHeader animated(int pages) {
  SourceHeader header;
  header.format = Format::kGif;
  header.pages = pages;
  header.is_animation = true;
  return header;
}

SourceHeader document(int pages) {
  SourceHeader header;
  header.format = Format::kTiff;
  header.pages = pages;
  return header;
}

TEST(FrameSelection, KeepsAnAnimationWhereTheFormatCan) {
  EXPECT_EQ(select_frames({}, animated(7), Format::kGif), (FrameSelection{0, 7}));
  EXPECT_EQ(select_frames({}, animated(7), Format::kWebp), (FrameSelection{0, 7}));
}

TEST(FrameSelection, TakesOneFrameForAStill) {
  for (const Format format : {Format::kJpeg, Format::kPng, Format::kAvif}) {
    EXPECT_EQ(select_frames({}, animated(7), format), (FrameSelection{0, 1}));
    EXPECT_EQ(select_frames({.page = 3, .frames = -1}, animated(7), format), (FrameSelection{3, 1}));
  }
}

TEST(FrameSelection, TakesOnePageOfADocumentUnlessAskedForMore) {
  EXPECT_EQ(select_frames({}, document(3), Format::kWebp), (FrameSelection{0, 1}));
  EXPECT_EQ(select_frames({.frames = -1}, document(3), Format::kWebp), (FrameSelection{0, 3}));
}

TEST(FrameSelection, StartsAtThePageAndEndsWithTheSource) {
  EXPECT_EQ(select_frames({.page = 2}, animated(7), Format::kGif), (FrameSelection{2, 5}));
  EXPECT_EQ(select_frames({.page = 2, .frames = 3}, animated(7), Format::kGif), (FrameSelection{2, 3}));
  EXPECT_EQ(select_frames({.page = 5, .frames = 9}, animated(7), Format::kGif), (FrameSelection{5, 2}));
}

TEST(FrameSelection, RefusesAPageThatIsNotThere) {
  const auto selected = select_frames({.page = 7}, animated(7), Format::kGif);
  ASSERT_FALSE(selected);
  EXPECT_EQ(selected.error().code, base::ErrorCode::kInvalidParameter);
  EXPECT_EQ(selected.error().detail, "page: the image has 7 pages, counted from 0");
  const auto of_one = select_frames({.page = 1}, document(1), Format::kJpeg);
  ASSERT_FALSE(of_one);
  EXPECT_EQ(of_one.error().detail, "page: the image has 1 page, counted from 0");
}

TEST(FrameSelection, RefusesPagesOfDifferentSizesTogether) {
  SourceHeader mixed = document(7);
  mixed.like_pages = 3;
  EXPECT_EQ(select_frames({.page = 1}, mixed, Format::kGif), (FrameSelection{1, 1}));
  EXPECT_EQ(select_frames({.page = 1, .frames = 3}, mixed, Format::kGif), (FrameSelection{1, 3}));
  EXPECT_EQ(select_frames({.page = 1, .frames = -1}, mixed, Format::kPng), (FrameSelection{1, 1}));
  for (const int frames : {-1, 4}) {
    const auto selected = select_frames({.page = 1, .frames = frames}, mixed, Format::kGif);
    ASSERT_FALSE(selected);
    EXPECT_EQ(selected.error().code, base::ErrorCode::kLimitExceeded);
    EXPECT_EQ(selected.error().detail,
              "frames: page 4 differs from page 1 in size or kind, so that they make no animation; ask for one page at "
              "a time");
  }
}

TEST(ChooseFormat, TakesWhatIsAskedForThenTheSourcesOwn) {
  EXPECT_EQ(choose_format({.format = Format::kAvif}, Format::kJpeg, false), Format::kAvif);
  EXPECT_EQ(choose_format({}, Format::kWebp, true), Format::kWebp);
}

TEST(ChooseFormat, ReplacesFormatsThatAreNotWritten) {
  EXPECT_EQ(choose_format({}, Format::kTiff, false), Format::kJpeg);
  EXPECT_EQ(choose_format({}, Format::kHeic, true), Format::kPng);
}

}  // namespace
}  // namespace optimux::media
