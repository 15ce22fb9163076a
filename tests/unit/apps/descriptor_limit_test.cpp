#include "apps/optimux/serve/descriptor_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <vector>

namespace optimux::apps {
namespace {

class WarningLog final : public base::LogSink {
 public:
  void write(base::LogLevel level, std::string_view event, std::span<const base::LogField>) override {
    if (level == base::LogLevel::kWarning) warnings.emplace_back(event);
  }
  void set_level(base::LogLevel) override {}
  base::LogLevel level() const override { return base::LogLevel::kInfo; }

  std::vector<std::string> warnings;
};

// Lowers soft limits alone, which the process may raise again; puts everything back as it was.
class DescriptorLimitTest : public testing::Test {
 protected:
  DescriptorLimitTest() { ::getrlimit(RLIMIT_NOFILE, &before_); }
  ~DescriptorLimitTest() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

  static void set_soft_limit(rlim_t limit) {
    rlimit limits{};
    ::getrlimit(RLIMIT_NOFILE, &limits);
    limits.rlim_cur = limit;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limits), 0);
  }
  static rlim_t soft_limit() {
    rlimit limits{};
    ::getrlimit(RLIMIT_NOFILE, &limits);
    return limits.rlim_cur;
  }

  rlimit before_{};
  WarningLog log_;
  Settings settings_;
};

TEST_F(DescriptorLimitTest, EveryConnectionAndEveryFileCounts) {
  const auto before = descriptors_for(settings_);
  settings_.server.max_connections += 10;
  settings_.origin_connections.max_connections += 20;
  settings_.file_pool.workers_max += 30;
  EXPECT_EQ(descriptors_for(settings_), before + 60);
}

TEST_F(DescriptorLimitTest, TheSoftLimitIsRaisedToWhatIsNeeded) {
  settings_.server.max_connections = 10;
  settings_.origin_connections.max_connections = 10;
  set_soft_limit(64);
  provide_descriptors(settings_, log_);
  EXPECT_EQ(soft_limit(), descriptors_for(settings_));
  EXPECT_TRUE(log_.warnings.empty());
  settings_.server.max_connections = 1;
  provide_descriptors(settings_, log_);
  EXPECT_GT(soft_limit(), descriptors_for(settings_));
}

TEST_F(DescriptorLimitTest, WhatTheHardLimitForbidsIsAWarning) {
  if (before_.rlim_max == RLIM_INFINITY) GTEST_SKIP() << "there is no hard limit";
  settings_.server.max_connections = before_.rlim_max;
  provide_descriptors(settings_, log_);
  EXPECT_EQ(soft_limit(), before_.rlim_max);
  EXPECT_EQ(log_.warnings, std::vector<std::string>{"too few descriptors"});
}

}  // namespace
}  // namespace optimux::apps
