#include "optimux/pool/task.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace optimux::pool {
namespace {

// Runs a task that waits for nothing, and keeps what it gave.
template <class Value>
detail::Detached run(Task<Value> task, std::unique_ptr<Value>& value, std::exception_ptr& error) {
  try {
    Value given = co_await task;
    value = std::make_unique<Value>(std::move(given));
  } catch (...) {
    error = std::current_exception();
  }
}

template <class Value>
Value result_of(Task<Value> task) {
  std::unique_ptr<Value> value;
  std::exception_ptr error;
  run(std::move(task), value, error);
  if (error) std::rethrow_exception(error);
  return std::move(*value);
}

Task<int> number(int value) {
  co_return value;
}
Task<int> sum(int upto) {
  int total = 0;
  for (int i = 1; i <= upto; ++i) {
    const int one = co_await number(i);
    total += one;
  }
  co_return total;
}
Task<std::unique_ptr<int>> only_movable() {
  co_return std::make_unique<int>(7);
}
Task<int> fails() {
  throw std::runtime_error("no");
  co_return 0;
}
Task<> nothing(int& ran) {
  ++ran;
  co_return;
}
Task<> fails_with_nothing() {
  throw std::runtime_error("nothing");
  co_return;
}

TEST(Task, GivesItsValue) {
  EXPECT_EQ(result_of(sum(100)), 5050);
  EXPECT_EQ(*result_of(only_movable()), 7);
}

TEST(Task, StartsWhenItIsAwaitedAndNotBefore) {
  int ran = 0;
  {
    const Task<> never = nothing(ran);
    EXPECT_TRUE(never);
  }
  EXPECT_EQ(ran, 0);
  const auto twice = [&]() -> Task<int> {
    co_await nothing(ran);
    co_await nothing(ran);
    co_return ran;
  };
  EXPECT_EQ(result_of(twice()), 2);
}

TEST(Task, WhatItThrowsComesOutOfTheAwait) {
  EXPECT_THROW(result_of(fails()), std::runtime_error);
  std::string message;
  const auto catches = [&]() -> Task<int> {
    try {
      co_await fails_with_nothing();
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    co_return 1;
  };
  EXPECT_EQ(result_of(catches()), 1);
  EXPECT_EQ(message, "nothing");
}

TEST(Task, AMovedFromTaskIsEmptyAndFramesAreFreedOnce) {
  const auto held = std::make_shared<int>(1);
  const auto holds = [](std::shared_ptr<int> shared) -> Task<int> { co_return *shared; };
  {
    Task<int> first = holds(held);
    Task<int> second = std::move(first);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that is what is tested
    EXPECT_EQ(held.use_count(), 2);
    first = std::move(second);
    EXPECT_EQ(result_of(std::move(first)), 1);
  }
  EXPECT_EQ(held.use_count(), 1);
}

Task<int> depth(int left) {
  if (left == 0) co_return 0;
  const int below = co_await depth(left - 1);
  co_return below + 1;
}

TEST(Task, TasksMayAwaitEachOtherDeeply) {
  EXPECT_EQ(result_of(depth(1'000)), 1'000);
}

}  // namespace
}  // namespace optimux::pool
