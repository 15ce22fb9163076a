#include "http/http2_output.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

Http2Output::Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string drain(Http2Output& output, std::size_t at_once) {
  std::string all;
  while (!output.empty()) {
    const auto piece = output.front(1).at(0);
    const std::size_t count = std::min(at_once, piece.size());
    all.append(reinterpret_cast<const char*>(piece.data()), count);
    output.take(count);
  }
  return all;
}

TEST(Http2Output, GivesEverythingInOrder) {
  const std::string large(Http2Output::kSmallest, 'L');
  for (const std::size_t at_once : {1u, 7u, 10'000u}) {
    Http2Output output;
    output.append(bytes_of("head"));
    output.append_reference(1, bytes_of(large));
    output.append_reference(3, bytes_of("small"));
    output.append(bytes_of("tail"));
    EXPECT_EQ(output.size(), 13 + large.size());
    EXPECT_EQ(output.front(10).size(), 3u);
    EXPECT_EQ(output.front(2).size(), 2u);
    EXPECT_EQ(drain(output, at_once), "head" + large + "smalltail");
    EXPECT_TRUE(output.empty());
  }
}

TEST(Http2Output, PointsAtWhatIsLargeAndCopiesWhatIsSmall) {
  const std::string large(Http2Output::kSmallest, 'L');
  Http2Output output;
  output.append_reference(1, bytes_of(large));
  EXPECT_EQ(output.front(1)[0].data(), bytes_of(large).data());
  const std::string small(Http2Output::kSmallest - 1, 's');
  output.append_reference(1, bytes_of(small));
  EXPECT_NE(output.front(2)[1].data(), bytes_of(small).data());
}

TEST(Http2Output, OwnsWhatIsAboutToGoAway) {
  auto one = std::make_unique<std::string>(1'000, '1');
  const std::string two(1'000, '2');
  Http2Output output;
  output.append_reference(1, bytes_of(*one));
  output.append_reference(3, bytes_of(two));
  output.take(400);
  output.own(1);
  one.reset();
  EXPECT_EQ(output.front(2)[1].data(), bytes_of(two).data());
  EXPECT_EQ(drain(output, 100), std::string(600, '1') + two);
}

}  // namespace
}  // namespace optimux::http
