#include "source/range_pieces.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/source/ranged_reading.hpp"

namespace optimux::source {
namespace {

class RangePiecesTest : public testing::Test {
 protected:
  void insert(std::uint64_t offset, std::string_view text) {
    pieces_.insert(offset, std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(text))));
  }
  std::string find(std::uint64_t offset) { return text_of(pieces_.find(offset)); }

  RangePieces pieces_{10};
};

TEST_F(RangePiecesTest, FindsWhatThereIsToTheEndOfItsPiece) {
  insert(100, "abcd");
  EXPECT_EQ(find(100), "abcd");
  EXPECT_EQ(find(103), "d");
  EXPECT_EQ(find(104), "");
  EXPECT_EQ(find(99), "");
  EXPECT_EQ(find(0), "");
}

TEST_F(RangePiecesTest, TellsWhatIsMissingBehindTouchingPieces) {
  insert(100, "abcd");
  insert(104, "ef");
  insert(107, "h");
  EXPECT_EQ(pieces_.first_missing(50), 50u);
  EXPECT_EQ(pieces_.first_missing(100), 106u);
  EXPECT_EQ(pieces_.first_missing(105), 106u);
  EXPECT_EQ(pieces_.first_missing(107), 108u);
  EXPECT_EQ(pieces_.next_piece(50, 1000), 100u);
  EXPECT_EQ(pieces_.next_piece(50, 80), 80u);
  EXPECT_EQ(pieces_.next_piece(106, 1000), 107u);
  EXPECT_EQ(pieces_.next_piece(108, 1000), 1000u);
}

TEST_F(RangePiecesTest, ThoseUsedLongestAgoGoFirst) {
  insert(0, "aaaa");
  insert(10, "bbbb");
  EXPECT_EQ(find(0), "aaaa");
  insert(20, "cccc");
  EXPECT_EQ(find(10), "");
  EXPECT_EQ(find(0), "aaaa");
  EXPECT_EQ(find(20), "cccc");
  EXPECT_EQ(pieces_.size(), 8u);
}

TEST_F(RangePiecesTest, TheLatestStaysWhateverItsSize) {
  insert(0, "aaaa");
  insert(10, std::string(20, 'b'));
  EXPECT_EQ(find(0), "");
  EXPECT_EQ(find(10).size(), 20u);
  EXPECT_EQ(pieces_.size(), 20u);
}

TEST_F(RangePiecesTest, APieceTakesThePlaceOfThoseThatBeginInIt) {
  insert(102, "xx");
  insert(100, "abcdef");
  EXPECT_EQ(find(103), "def");
  EXPECT_EQ(pieces_.size(), 6u);
  insert(100, "ABCDEF");
  EXPECT_EQ(find(100), "ABCDEF");
  EXPECT_EQ(pieces_.size(), 6u);
}

TEST_F(RangePiecesTest, OnesThatOverlapAreReadOneAfterTheOther) {
  insert(100, "abcd");
  insert(102, "CDEF");
  EXPECT_EQ(find(100), "abcd");
  EXPECT_EQ(find(104), "EF");
  EXPECT_EQ(pieces_.first_missing(100), 106u);
}

}  // namespace
}  // namespace optimux::source
