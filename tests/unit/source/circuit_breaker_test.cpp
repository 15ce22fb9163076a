#include "source/circuit_breaker.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using std::chrono::milliseconds;

class CircuitBreakerTest : public testing::Test {
 protected:
  void fail_times(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(breaker.admit(now));
      breaker.failed(now);
    }
  }

  CircuitBreaker breaker{{.failures = 3, .time = milliseconds(1000)}};
  CircuitBreaker::Clock::time_point now{};
};

TEST_F(CircuitBreakerTest, OpensAfterSoManyFailuresInARow) {
  fail_times(2);
  breaker.succeeded();
  fail_times(2);
  EXPECT_FALSE(breaker.is_open());
  EXPECT_TRUE(breaker.failed(now)) << "this one opens it";
  EXPECT_TRUE(breaker.is_open());
  EXPECT_FALSE(breaker.admit(now + milliseconds(999)));
}

TEST_F(CircuitBreakerTest, LetsOneAttemptTryAgain) {
  fail_times(3);
  now += milliseconds(1000);
  EXPECT_TRUE(breaker.admit(now));
  EXPECT_FALSE(breaker.admit(now)) << "only one";
  EXPECT_TRUE(breaker.failed(now)) << "a single failure opens it again";
  EXPECT_FALSE(breaker.admit(now + milliseconds(999)));
  now += milliseconds(1000);
  EXPECT_TRUE(breaker.admit(now));
  breaker.succeeded();
  EXPECT_FALSE(breaker.is_open());
  fail_times(2);
  EXPECT_FALSE(breaker.is_open()) << "the count begins anew";
}

TEST_F(CircuitBreakerTest, AnAttemptWithoutAnEndMakesRoomForTheNext) {
  fail_times(3);
  now += milliseconds(1000);
  EXPECT_TRUE(breaker.admit(now));
  breaker.abandoned();
  EXPECT_TRUE(breaker.admit(now));
}

TEST_F(CircuitBreakerTest, LateFailuresDoNotProlongIt) {
  fail_times(3);
  EXPECT_FALSE(breaker.failed(now + milliseconds(900)));
  EXPECT_TRUE(breaker.admit(now + milliseconds(1000)));
}

TEST(CircuitBreakerWithoutLimitTest, NeverOpens) {
  CircuitBreaker breaker({.failures = 0, .time = milliseconds(1000)});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(breaker.failed({}));
  EXPECT_TRUE(breaker.admit({}));
}

}  // namespace
}  // namespace optimux::source
