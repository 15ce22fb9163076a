#include "source/range_reader.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/source/manual_ranged_file.hpp"

namespace optimux::source {
namespace {

constexpr std::uint64_t kGrain = RangeReader::kGrainBytes;
constexpr std::uint64_t kSize = 100 * kGrain + 100;

class RangeReaderTest : public testing::Test {
 protected:
  bool fetch(std::uint64_t offset, std::size_t wanted = 2 * kGrain, std::uint64_t end = kSize) {
    return reader->fetch(offset, end, wanted, stop.get_token());
  }
  /// The reads that wait, as `FIRST+COUNT` in grains, or in bytes where they end with the file.
  std::vector<std::string> waiting() const {
    std::vector<std::string> texts;
    for (const auto& read : file->reads) {
      const bool is_tail = read.offset + read.count == kSize;
      texts.push_back(std::to_string(read.offset / kGrain) + "+" +
                      std::to_string(is_tail ? read.count : read.count / kGrain));
      EXPECT_EQ(read.offset % kGrain, 0u);
      EXPECT_TRUE(is_tail || read.count % kGrain == 0) << read.count;
    }
    return texts;
  }
  using Texts = std::vector<std::string>;

  std::shared_ptr<ManualRangedFile> file = std::make_shared<ManualRangedFile>(kSize);
  std::vector<std::string> news;
  std::stop_source stop;
  std::shared_ptr<RangeReader> reader =
      std::make_shared<RangeReader>(file, base::Deadline(), RangeReader::Limits{2 * kGrain, 8 * kGrain, 16 * kGrain},
                                    [this](const std::optional<base::Error>& error) {
                                      news.push_back(error ? std::string(base::name_of(error->code)) : "more");
                                    });
};

TEST_F(RangeReaderTest, TheBeginningIsThereAndIsNotRead) {
  EXPECT_EQ(text_of(reader->find(5)), ManualRangedFile::content(5, kGrain - 5));
  EXPECT_TRUE(reader->find(kGrain).empty());
  EXPECT_FALSE(fetch(0, kGrain));
  EXPECT_TRUE(fetch(0, kGrain + 1));
  EXPECT_EQ(waiting(), Texts{"1+2"});
}

TEST_F(RangeReaderTest, ReadsWholeGrainsAroundWhatIsWanted) {
  EXPECT_TRUE(fetch(50 * kGrain + 7));
  EXPECT_EQ(waiting(), Texts{"50+2"});
  file->answer();
  EXPECT_EQ(news, Texts{"more"});
  EXPECT_EQ(text_of(reader->find(50 * kGrain + 7)), ManualRangedFile::content(50 * kGrain + 7, 2 * kGrain - 7));
  EXPECT_EQ(reader->reads(), 1u);
  EXPECT_EQ(reader->bytes(), 2 * kGrain);
}

TEST_F(RangeReaderTest, ReadsNeitherMoreNorLessThanItMay) {
  fetch(10 * kGrain, 1);
  fetch(40 * kGrain, 1'000'000'000);
  EXPECT_EQ(waiting(), (Texts{"10+2", "40+8"}));
}

TEST_F(RangeReaderTest, NotFarBeyondTheEndOfWhatWasAskedForNorOfTheFile) {
  fetch(10 * kGrain, 8 * kGrain, 10 * kGrain + 1);
  fetch(99 * kGrain, 8 * kGrain);
  EXPECT_EQ(waiting(), (Texts{"10+1", "99+" + std::to_string(kGrain + 100)}));
  EXPECT_FALSE(fetch(20 * kGrain, 8 * kGrain, 20 * kGrain));
}

TEST_F(RangeReaderTest, WhatIsComingIsNotReadTwice) {
  EXPECT_TRUE(fetch(10 * kGrain));
  EXPECT_FALSE(fetch(11 * kGrain));
  EXPECT_TRUE(fetch(8 * kGrain, 8 * kGrain)) << "up to what is coming";
  EXPECT_EQ(waiting(), (Texts{"10+2", "8+2"}));
}

TEST_F(RangeReaderTest, WhatIsThereIsNotReadTwice) {
  fetch(10 * kGrain);
  file->answer();
  EXPECT_FALSE(fetch(10 * kGrain)) << "enough is there";
  EXPECT_TRUE(fetch(10 * kGrain, 4 * kGrain)) << "what follows";
  EXPECT_TRUE(fetch(8 * kGrain, 8 * kGrain)) << "up to what is there";
  EXPECT_EQ(waiting(), (Texts{"12+4", "8+2"}));
}

TEST_F(RangeReaderTest, LargeReadsEndWithTheirReaderAndSmallOnesDoNot) {
  fetch(10 * kGrain, 2 * kGrain);
  fetch(40 * kGrain, 4 * kGrain);
  stop.request_stop();
  file->answer();
  EXPECT_FALSE(reader->find(10 * kGrain).empty());
  file->answer();
  EXPECT_TRUE(reader->find(40 * kGrain).empty());
  EXPECT_EQ(news, (Texts{"more", "more"})) << "others may have waited for it";
  stop = {};
  EXPECT_TRUE(fetch(40 * kGrain)) << "it is coming no more";
}

TEST_F(RangeReaderTest, TellsWhyTheFileCannotBeRead) {
  fetch(10 * kGrain);
  file->fail(base::ErrorCode::kOriginTimeout);
  EXPECT_EQ(news, Texts{"origin_timeout"});
}

TEST_F(RangeReaderTest, TheEndStopsAllReadsAndTellsNothing) {
  fetch(10 * kGrain, 2 * kGrain);
  reader->close();
  EXPECT_TRUE(file->reads.front().stop.stop_requested());
  file->answer();
  EXPECT_TRUE(news.empty());
}

TEST_F(RangeReaderTest, AReadMayEndAfterItsReader) {
  fetch(10 * kGrain);
  reader.reset();
  file->answer();
  EXPECT_TRUE(news.empty());
}

TEST_F(RangeReaderTest, KeepsTheLatest) {
  for (std::uint64_t grain = 10; grain < 40; grain += 2) {
    fetch(grain * kGrain);
    file->answer();
  }
  EXPECT_TRUE(reader->find(22 * kGrain).empty());
  EXPECT_FALSE(reader->find(24 * kGrain).empty());
  EXPECT_FALSE(reader->find(0).empty()) << "the beginning stays";
}

}  // namespace
}  // namespace optimux::source
