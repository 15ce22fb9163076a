#include "server/metrics.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/server/fake_backend.hpp"

namespace optimux::server {
namespace {

using std::chrono::microseconds;

bool has(const std::string& page, const std::string& line) {
  return page.find(line + '\n') != std::string::npos;
}

TEST(Metrics, StagesAreCountedByNameAndInSeconds) {
  const FakeBackend backend;
  Metrics metrics;
  metrics.count_stages({.fetch = microseconds(1500), .queue = microseconds(1), .decode = microseconds(30'000)});
  metrics.count_stages({.fetch = microseconds(500), .encode = microseconds(2'000'000)});
  const std::string page = metrics.page(backend, {}, false);
  for (const auto* const line :
       {"# TYPE optimux_rendition_stage_seconds histogram", "optimux_rendition_stage_seconds_count{stage=\"fetch\"} 2",
        "optimux_rendition_stage_seconds_sum{stage=\"fetch\"} 0.002",
        "optimux_rendition_stage_seconds_bucket{stage=\"decode\",le=\"0.025\"} 0",
        "optimux_rendition_stage_seconds_bucket{stage=\"decode\",le=\"0.05\"} 1",
        "optimux_rendition_stage_seconds_count{stage=\"queue\"} 1",
        "optimux_rendition_stage_seconds_sum{stage=\"encode\"} 2"}) {
    EXPECT_TRUE(has(page, line)) << line << '\n' << page;
  }
}

TEST(Metrics, StagesThatWereNotMeasuredHaveNoSeries) {
  const FakeBackend backend;
  Metrics metrics;
  metrics.count_stages({.fetch = microseconds(1500)});
  const std::string page = metrics.page(backend, {}, false);
  EXPECT_TRUE(has(page, "optimux_rendition_stage_seconds_count{stage=\"fetch\"} 1"));
  EXPECT_EQ(page.find("stage=\"decode\""), std::string::npos);
}

}  // namespace
}  // namespace optimux::server
