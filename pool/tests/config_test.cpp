#include "optimux/pool/config.hpp"

#include <gtest/gtest.h>

namespace optimux::pool {
namespace {

std::string field(const std::function<void(Config&)>& change) {
  Config config;
  config.max_workers = 10;
  change(config);
  const auto error = validate(config);
  if (!error) return "";
  EXPECT_FALSE(error->message.empty());
  return error->field;
}

TEST(Config, TheDefaultsAreValid) {
  EXPECT_FALSE(validate(Config()));
}

TEST(Config, EveryRefusalNamesTheField) {
  EXPECT_EQ(field([](Config& c) { c.name.clear(); }), "name");
  EXPECT_EQ(field([](Config& c) { c.min_workers = -1; }), "min_workers");
  EXPECT_EQ(field([](Config& c) { c.min_workers = 11; }), "min_workers");
  EXPECT_EQ(field([](Config& c) { c.max_workers = 0; }), "max_workers");
  EXPECT_EQ(field([](Config& c) { c.max_workers = 2'000'000; }), "max_workers");
  EXPECT_EQ(field([](Config& c) { c.queue_capacity = 0; }), "queue_capacity");
  EXPECT_EQ(field([](Config& c) { c.queue_capacity = 1'000'000'000; }), "queue_capacity");
  EXPECT_EQ(field([](Config& c) { c.retire_grace = Duration(-1); }), "retire_grace");
  EXPECT_EQ(field([](Config& c) { c.first_backoff = Duration::zero(); }), "first_backoff");
  EXPECT_EQ(field([](Config& c) { c.longest_backoff = c.first_backoff / 2; }), "longest_backoff");
  EXPECT_EQ(field([](Config& c) { c.decision_log_capacity = 0; }), "decision_log_capacity");
  EXPECT_EQ(field([](Config& c) { c.clock = nullptr; }), "clock");
  EXPECT_EQ(field([](Config& c) { c.cpu_counter = nullptr; }), "cpu_counter");
  EXPECT_EQ(field([](Config& c) { c.start_thread = nullptr; }), "start_thread");
  EXPECT_EQ(field([](Config& c) { c.policy = nullptr; }), "policy");
  EXPECT_EQ(field([](Config& c) { c.policy = std::make_shared<FixedPolicy>(11); }), "policy.workers");
  EXPECT_EQ(field([](Config& c) { c.gate = Gate::slots(20); }), "gate.slots");
  EXPECT_EQ(field([](Config& c) {
              QueueLengthPolicy::Options options;
              options.scale_down_threshold = 0;
              c.policy = std::make_shared<QueueLengthPolicy>(options);
            }),
            "policy.scale_down_threshold");
  EXPECT_EQ(field([](Config&) {}), "");
}

TEST(Config, AMessageNamesTheLimit) {
  Config config;
  config.max_workers = 4;
  config.min_workers = 5;
  EXPECT_EQ(validate(config)->message, "5 is above max_workers (4)");
}

}  // namespace
}  // namespace optimux::pool
