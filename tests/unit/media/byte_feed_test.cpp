#include "media/byte_feed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace optimux::media {
namespace {

// A length and a name, something to pass over up to a full stop, and a number.
FeedReader read_record(ByteFeed& in, std::string& seen) {
  ByteCursor length = co_await in.bytes(1);
  const std::size_t count = length.u8();
  ByteCursor name = co_await in.bytes(count);
  seen += name.text(count);
  co_await in.find(std::byte{'.'});
  co_await in.skip(3);
  ByteCursor number = co_await in.bytes(2);
  seen += " " + std::to_string(number.u16be()) + " at " + std::to_string(in.position());
}

std::string read_in_pieces(std::string_view text, std::size_t step, std::uint64_t& position, bool& is_done) {
  ByteFeed feed;
  std::string seen;
  const FeedReader reader = read_record(feed, seen);
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    const std::string piece(text.substr(0, step));  // A copy that goes, as that of an encoder does.
    feed.feed(std::as_bytes(std::span(piece)));
  }
  position = feed.position();
  is_done = reader.is_done();
  return seen;
}

TEST(ByteFeed, PiecesOfAnySizeReadTheSame) {
  const std::string text("\x04name and more.xyz\x01\x02", 20);
  for (std::size_t step = 1; step <= text.size(); ++step) {
    std::uint64_t position = 0;
    bool is_done = false;
    EXPECT_EQ(read_in_pieces(text, step, position, is_done), "name 258 at 20") << step;
    EXPECT_EQ(position, 20u);
    EXPECT_TRUE(is_done);
  }
}

TEST(ByteFeed, ReaderWaitsForWhatIsNotThere) {
  const std::string text("\x04name and more.xyz\x01", 19);
  std::uint64_t position = 0;
  bool is_done = true;
  EXPECT_EQ(read_in_pieces(text, 5, position, is_done), "name");
  EXPECT_EQ(position, 19u);
  EXPECT_FALSE(is_done);
}

TEST(ByteFeed, NothingIsTakenForAReaderThatHasEnded) {
  std::uint64_t position = 0;
  bool is_done = false;
  EXPECT_EQ(read_in_pieces(std::string("\0.123\0\x07 and the rest", 21), 2, position, is_done), " 7 at 7");
  EXPECT_EQ(position, 7u);
  EXPECT_TRUE(is_done);
}

TEST(ByteFeed, BytesAtHandAreTakenAsFarAsAsked) {
  ByteFeed feed;
  std::string seen;
  const auto read = [](ByteFeed& in, std::string& text) -> FeedReader {
    while (true) {
      const auto rest = co_await in.at_hand();
      text += static_cast<char>(rest[0]);
      text += std::to_string(rest.size());
      in.take(std::min<std::size_t>(2, rest.size()));
    }
  };
  const FeedReader reader = read(feed, seen);
  for (const std::string_view piece : {"abc", "", "de", "f"}) feed.feed(std::as_bytes(std::span(piece)));
  EXPECT_EQ(seen, "a3c1d2f1");
  EXPECT_EQ(feed.position(), 6u);
}

}  // namespace
}  // namespace optimux::media
