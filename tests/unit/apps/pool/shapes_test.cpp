#include "apps/optimux/pool/shapes/experiment.hpp"
#include "apps/optimux/pool/shapes/shapes_report.hpp"
#include "apps/optimux/pool/shapes/stages.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <set>

namespace optimux::apps {
namespace {

void no_progress(int /*round*/, const ShapeKind& /*kind*/) {}

class EveryShape : public ::testing::TestWithParam<ShapeKind> {};

TEST_P(EveryShape, FetchesAndThenProcessesEachRequestOnce) {
  std::atomic<int> fetched = 0, processed = 0, out_of_order = 0;
  const Stages stages{[&](Request& request) {
                        ++fetched;
                        request.source = std::make_shared<int>(1);
                      },
                      [&](Request& request) {
                        ++processed;
                        if (request.source == nullptr) ++out_of_order;
                      }};
  const ExperimentPlan plan{.shapes = {GetParam()}, .clients = 5, .requests = 60, .rounds = 2};
  const auto results = run_experiment(plan, stages, no_progress);
  ASSERT_TRUE(results);
  EXPECT_EQ(fetched, 120);
  EXPECT_EQ(processed, 120);
  EXPECT_EQ(out_of_order, 0);
  const ShapeResult& result = results->front();
  EXPECT_EQ(result.rates.size(), 2);
  EXPECT_EQ(result.latencies.size(), 120);
  EXPECT_EQ(result.first_bytes.size(), 120);
  for (const double share : result.blocked) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  }
}

TEST_P(EveryShape, ReportsAFailureAndDoesNotProcessWhatWasNotFetched) {
  std::atomic<int> processed = 0;
  const Stages stages{[](Request& request) {
                        request.fail({base::ErrorCode::kNotFound, "gone", {}});
                      },
                      [&](Request&) { ++processed; }};
  const auto results =
      run_experiment({.shapes = {GetParam()}, .clients = 2, .requests = 4, .rounds = 1}, stages, no_progress);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().detail, "gone");
  EXPECT_EQ(processed, 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryShape, ::testing::ValuesIn(all_shapes()), [](const auto& shape) {
  std::string name = shape.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Shapes, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const ShapeKind& kind : all_shapes()) names.insert(kind.name);
  EXPECT_EQ(names.size(), 9);
}

TEST(Shapes, ShowTheFirstBytesBeforeTheLastOnesOnlyWhereTheyAreFlushedEarly) {
  const Stages stages{[](Request&) {}, [](Request& request) { request.note_first_bytes(); }};
  const auto results =
      run_experiment({.shapes = all_shapes(), .clients = 1, .requests = 3, .rounds = 1}, stages, no_progress);
  ASSERT_TRUE(results);
  for (const ShapeResult& result : *results) {
    const bool shows_them_early = result.first_bytes[0] < result.latencies[0];
    EXPECT_EQ(shows_them_early, result.kind.flushes_early) << result.kind.name;
  }
}

TEST(Shapes, RefuseAPlanThatCannotBeRun) {
  const Stages stages{[](Request&) {}, [](Request&) {}};
  const auto refusal = [&](const ExperimentPlan& plan) {
    return run_experiment(plan, stages, no_progress).error().detail;
  };
  EXPECT_EQ(refusal({.shapes = {}}), "--only names no shape");
  EXPECT_EQ(refusal({.shapes = all_shapes(), .clients = 0}), "--clients must be from 1 to 1000");
  EXPECT_EQ(refusal({.shapes = all_shapes(), .requests = 0}), "--requests must be from 1 to 1000000");
  EXPECT_EQ(refusal({.shapes = all_shapes(), .rounds = 0}), "--rounds must be from 1 to 100");
}

TEST(Stages, MadeUpOnesRunNoPrograms) {
  EXPECT_FALSE(made_up_stages(ExecJob{{"true"}}, BurnJob{1}));
  EXPECT_FALSE(made_up_stages(BurnJob{1}, UrlJob{"http://127.0.0.1/"}));
  EXPECT_TRUE(made_up_stages(BurnJob{1}, MixedJob{{1}, {1e-9}}));
}

TEST(ShapesReport, HoldsTheFigures) {
  ShapeResult result{.kind = all_shapes().front(), .rates = {10, 12, 11}};
  result.latencies = result.first_bytes = {0.1, 0.2, 0.3, 0.4};
  result.blocked = {0.68, 0.7, 0.66};
  const ShapesReport report{"fetch, process", 2, {.shapes = all_shapes()}, {result}};
  const std::string text = to_text(report);
  EXPECT_NE(text.find("1 dispatcher, channel of channels"), std::string::npos) << text;
  EXPECT_NE(text.find("68 %"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_DOUBLE_EQ(json["shapes"][0]["rate"], 11);
  EXPECT_DOUBLE_EQ(json["shapes"][0]["latency_seconds"]["p50"], 0.2);
  EXPECT_DOUBLE_EQ(json["shapes"][0]["blocked_share"], 0.68);
  EXPECT_NE(to_svg(report).find("1 dispatcher"), std::string::npos);
}

}  // namespace
}  // namespace optimux::apps
