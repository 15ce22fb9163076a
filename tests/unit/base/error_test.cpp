#include "base/error.hpp"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "base/result.hpp"

namespace optimux::base {
namespace {

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  const int count = static_cast<int>(ErrorCode::kShuttingDown) + 1;
  for (int i = 0; i < count; ++i) names.insert(name_of(static_cast<ErrorCode>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
}

TEST(Result, FailKeepsWhatTheClientSeesApartFromTheCause) {
  const Result<int> result = fail(ErrorCode::kNotFound, "no such key", "open: ENOENT");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().detail, "no such key");
  EXPECT_EQ(result.error().cause, "open: ENOENT");
}

}  // namespace
}  // namespace optimux::base
