#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "unit/service/fake_tier.hpp"
#include "unit/service/service_fixture.hpp"

namespace optimux::service {

/// A service with one tier below its memory, which keeps what it has over a restart.
class ReuseFixture : public ServiceFixture {
 protected:
  void SetUp() override { start_again(); }

  /// A service with the same tier and an empty memory.
  void start_again() {
    service.reset();
    service = std::make_unique<RenditionService>(limits, pool, source, executor, *log,
                                                 std::vector<std::shared_ptr<RenditionTier>>{tier});
  }
  /// Has it made, by this service.
  std::string make(const TransformSpec& wanted = spec(), std::string_view content = "picture") {
    auto opened = open(wanted);
    EXPECT_TRUE(source.answer(content));
    while (pool.run_next()) {
    }
    return doubles::read(opened.reader);
  }
  static CacheOutcome outcome(const OpenedRendition& opened) {
    return outcome_by_now(opened.outcome, *opened.rendition);
  }
  std::string read(const TransformSpec& wanted, CacheOutcome expected) {
    auto opened = open(wanted);
    EXPECT_EQ(outcome(opened), expected);
    EXPECT_TRUE(is_complete(opened));
    return doubles::read(opened.reader);
  }
  bool purge_source(const TransformSpec& of = spec()) {
    bool purged = false;
    service->purge_source(of.source, [&](const base::Status& status) { purged = status.has_value(); });
    return purged;
  }

  ServiceLimits limits{.cache_time = std::chrono::minutes(5),
                       .stale_while_revalidate = {},
                       .stale_if_error = {},
                       .cache_timeout = std::chrono::hours(1)};
  std::shared_ptr<FakeTier> tier = std::make_shared<FakeTier>();
};

}  // namespace optimux::service
