#include "source/first_bytes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// A question that writes down what it is asked about, and says yes to what begins with `v`.
class Question {
 public:
  IsOther hook() {
    return [this](std::span<const std::byte> first) {
      asked.emplace_back(reinterpret_cast<const char*>(first.data()), first.size());
      return !first.empty() && first[0] == std::byte{'v'};
    };
  }
  std::vector<std::string> asked;
};

TEST(FirstBytes, AsksAboutAPieceThatIsLargeEnoughAsItIs) {
  Question question;
  FirstBytes first(question.hook());
  const std::string picture(100, 'p');
  EXPECT_TRUE(first.is_open());
  EXPECT_FALSE(first.take(bytes_of(picture)));
  EXPECT_FALSE(first.is_open());
  EXPECT_EQ(question.asked, std::vector<std::string>{picture});
}

TEST(FirstBytes, GathersSmallPiecesUntilTheyAreEnough) {
  Question question;
  FirstBytes first(question.hook());
  const std::string video = "v" + std::string(80, 'x');
  for (std::size_t i = 0; i + 1 < FirstBytes::kEnough; ++i) EXPECT_FALSE(first.take(bytes_of(video.substr(i, 1))));
  EXPECT_TRUE(question.asked.empty());
  EXPECT_TRUE(first.take(bytes_of(video.substr(FirstBytes::kEnough - 1))));
  EXPECT_EQ(question.asked, std::vector<std::string>{video.substr(0, FirstBytes::kEnough)});
}

TEST(FirstBytes, AsksAtTheEndAboutWhatThereIs) {
  Question question;
  FirstBytes first(question.hook());
  EXPECT_FALSE(first.take(bytes_of("v1")));
  EXPECT_TRUE(first.end());
  EXPECT_EQ(question.asked, std::vector<std::string>{"v1"});

  Question of_nothing;
  EXPECT_FALSE(FirstBytes(of_nothing.hook()).end());
  EXPECT_EQ(of_nothing.asked, std::vector<std::string>{""});
}

TEST(FirstBytes, AsksOnceAndKeepsTheAnswer) {
  Question question;
  FirstBytes first(question.hook());
  EXPECT_TRUE(first.take(bytes_of("v" + std::string(99, 'x'))));
  EXPECT_TRUE(first.take(bytes_of(std::string(99, 'p'))));
  EXPECT_TRUE(first.end());
  EXPECT_EQ(question.asked.size(), 1u);
}

TEST(FirstBytes, WithoutAQuestionNothingIsAnotherThing) {
  FirstBytes first({});
  EXPECT_FALSE(first.is_open());
  EXPECT_FALSE(first.take(bytes_of("v" + std::string(99, 'x'))));
  EXPECT_FALSE(first.end());
}

}  // namespace
}  // namespace optimux::source
