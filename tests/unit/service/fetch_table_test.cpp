#include "service/fetch_table.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/service/doubles.hpp"

namespace optimux::service {
namespace {

using source::SourceLocator;
using testing::ElementsAre;

class FetchTableTest : public testing::Test {
 protected:
  FetchTable::Ticket join(const std::string& who, const std::string& place = "cat.jpg", const std::string& via = "") {
    return table->join({SourceLocator::Kind::kFile, place}, via, tell(who));
  }
  FetchTable::Callback tell(const std::string& who) {
    return [this, who](const auto& result) {
      told.push_back(who + (result ? ":" + std::to_string(result->bytes->size()) : ":failed"));
    };
  }

  doubles::ManualSource source;
  std::shared_ptr<FetchTable> table = std::make_shared<FetchTable>(source);
  std::vector<std::string> told;
};

TEST_F(FetchTableTest, OneFetchTellsAll) {
  const auto first = join("a");
  const auto second = join("b");
  EXPECT_EQ(source.fetches(), 1);
  source.answer("12345");
  EXPECT_THAT(told, ElementsAre("a:5", "b:5"));
  EXPECT_EQ(table->figures().started, 1U);
  EXPECT_EQ(table->figures().joined, 1U);
}

TEST_F(FetchTableTest, SourcesAreFetchedApart) {
  const auto first = join("a", "a.jpg");
  const auto second = join("b", "b.jpg");
  EXPECT_EQ(source.fetches(), 2);
  source.answer("1");
  source.answer("22");
  EXPECT_THAT(told, ElementsAre("a:1", "b:2"));
}

TEST_F(FetchTableTest, WhoCameThroughAnotherServerWaitsWithThoseWhoCameTheSameWay) {
  const auto straight = join("a");
  const auto through_one = join("b", "cat.jpg", "1.1 one");
  const auto through_one_too = join("c", "cat.jpg", "1.1 one");
  EXPECT_EQ(source.fetches(), 2);
  source.answer("1");
  EXPECT_THAT(told, ElementsAre("a:1"));
  source.answer("22");
  EXPECT_THAT(told, ElementsAre("a:1", "b:2", "c:2"));
}

TEST_F(FetchTableTest, AFailureTellsAllAndIsForgotten) {
  const auto first = join("a");
  const auto second = join("b");
  source.fail(base::ErrorCode::kOriginFailed);
  EXPECT_THAT(told, ElementsAre("a:failed", "b:failed"));
  const auto third = join("c");
  EXPECT_EQ(source.fetches(), 2);
}

TEST_F(FetchTableTest, WhoLeavesIsNotTold) {
  auto first = join("a");
  const auto second = join("b");
  first = {};
  EXPECT_FALSE(source.is_cancelled());
  source.answer("1");
  EXPECT_THAT(told, ElementsAre("b:1"));
}

TEST_F(FetchTableTest, TheLastToLeaveCancels) {
  {
    const auto first = join("a");
    const auto second = join("b");
  }
  EXPECT_TRUE(source.is_cancelled());
  source.answer();
  EXPECT_TRUE(told.empty());
}

TEST_F(FetchTableTest, NobodyJoinsACancelledFetch) {
  { const auto first = join("a"); }
  const auto second = join("b");
  EXPECT_EQ(source.fetches(), 2);
  source.answer();  // the cancelled one
  EXPECT_TRUE(told.empty());
  source.answer("22");
  EXPECT_THAT(told, ElementsAre("b:2"));
}

TEST_F(FetchTableTest, ATicketCanBeGivenUpWhileItIsTold) {
  FetchTable::Ticket ticket;
  ticket = table->join({SourceLocator::Kind::kFile, "cat.jpg"}, "", [&](const auto&) {
    told.emplace_back("a");
    ticket = {};
  });
  source.answer();
  EXPECT_THAT(told, ElementsAre("a"));
}

TEST_F(FetchTableTest, ASourceMayReportAfterTheTableHasGone) {
  auto ticket = join("a");
  table.reset();
  source.answer();
  EXPECT_TRUE(told.empty());
  ticket = {};
}

bool is_video(std::span<const std::byte> first) {
  return !first.empty() && first[0] == std::byte{'v'};
}
bool is_sound(std::span<const std::byte> first) {
  return !first.empty() && first[0] == std::byte{'s'};
}

TEST_F(FetchTableTest, ThoseWhoAskWithTheSameQuestionWaitTogether) {
  const auto ask = [this](const std::string& who, FetchTable::IsOther is_other) {
    return table->join({SourceLocator::Kind::kFile, "cat"}, "", tell(who), {}, is_other);
  };
  const auto first = ask("a", &is_video);
  const auto second = ask("b", &is_video);
  EXPECT_EQ(source.fetches(), 1);
  const std::string video = "video";
  EXPECT_TRUE(source.is_other()(std::as_bytes(std::span(video))));
  const auto without = ask("c", nullptr);
  const auto with_another = ask("d", &is_sound);
  EXPECT_EQ(source.fetches(), 3);
  source.fail(base::ErrorCode::kVideoSource);
  EXPECT_THAT(told, ElementsAre("a:failed", "b:failed"));
  source.answer("12345");
  source.answer("123");
  EXPECT_THAT(told, ElementsAre("a:failed", "b:failed", "c:5", "d:3"));
}

TEST_F(FetchTableTest, WithoutAQuestionNoneIsPut) {
  const auto ticket = join("a");
  EXPECT_FALSE(source.is_other());
}

}  // namespace
}  // namespace optimux::service
