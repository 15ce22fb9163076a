#include "service/nearest_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

constexpr std::string_view kNames[] = {"sizes", "fit", "quality", "blur"};

TEST(NearestName, FindsATypingMistake) {
  EXPECT_EQ(nearest_name("size", kNames), "sizes");
  EXPECT_EQ(nearest_name("qualty", kNames), "quality");
  EXPECT_EQ(nearest_name("Fit", kNames), "fit");
  EXPECT_EQ(nearest_name("blurr", kNames), "blur");
}

TEST(NearestName, SaysNothingWhenNoneIsNear) {
  EXPECT_EQ(nearest_name("width", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(NearestName, ALongNameIsNotNear) {
  EXPECT_EQ(nearest_name("quality" + std::string(100'000, 'y'), kNames), "");
}

}  // namespace
}  // namespace optimux::service
