#include "http/index_set.hpp"

#include <cstdlib>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace optimux::http {
namespace {

const bool kIsSeeded = setenv("RC_PARAMS", "seed=1 max_success=200", 0) == 0;

TEST(IndexSet, FindsTheSmallestMember) {
  IndexSet set;
  EXPECT_TRUE(set.empty());
  for (const std::size_t number : {4'095U, 64U, 63U, 1'000U}) set.insert(number);
  EXPECT_EQ(set.first(), 63U);
  set.erase(63);
  EXPECT_EQ(set.first(), 64U);
  EXPECT_TRUE(set.contains(4'095));
  EXPECT_FALSE(set.contains(63));
  EXPECT_FALSE(set.contains(2'000));
}

TEST(IndexSet, GoesRoundFromANumberOn) {
  IndexSet set;
  set.insert(5);
  set.insert(70);
  EXPECT_EQ(set.first_from(0), 5U);
  EXPECT_EQ(set.first_from(5), 5U);
  EXPECT_EQ(set.first_from(6), 70U);
  EXPECT_EQ(set.first_from(71), 5U) << "behind the last member it begins again";
  EXPECT_EQ(set.first_from(4'095), 5U);
}

TEST(IndexSet, IsEmptyWhenCleared) {
  IndexSet set;
  set.insert(4'000);
  set.clear();
  EXPECT_TRUE(set.empty());
  EXPECT_FALSE(set.contains(4'000));
}

RC_GTEST_PROP(IndexSetLaws, IsASet, ()) {
  IndexSet set;
  std::set<std::size_t> reference;
  const auto numbers = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 4'096));
  for (const std::size_t number : numbers) {
    if (reference.insert(number).second) {
      set.insert(number);
    } else {
      set.erase(number);
      reference.erase(number);
    }
    RC_ASSERT(set.empty() == reference.empty());
    if (reference.empty()) continue;
    RC_ASSERT(set.first() == *reference.begin());
    const std::size_t from = *rc::gen::inRange<std::size_t>(0, 4'096);
    const auto later = reference.lower_bound(from);
    RC_ASSERT(set.first_from(from) == (later == reference.end() ? *reference.begin() : *later));
  }
}

}  // namespace
}  // namespace optimux::http
