#include "http/scheduling_policy_name.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

TEST(SchedulingPolicyName, GoesThereAndBack) {
  for (const char* name : {"phases", "rfc9218", "fair", "fifo"}) {
    const auto policy = parse_scheduling_policy(name);
    ASSERT_TRUE(policy.has_value()) << name;
    EXPECT_EQ(name_of(*policy), name);
  }
  EXPECT_EQ(parse_scheduling_policy("phases"), SchedulingPolicy::kPhases);
  EXPECT_EQ(parse_scheduling_policy("Phases"), std::nullopt);
}

}  // namespace
}  // namespace optimux::http
