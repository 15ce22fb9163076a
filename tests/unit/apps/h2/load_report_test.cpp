#include "apps/optimux/h2/load_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>

namespace optimux::apps {
namespace {

using http::SchedulingPolicy;

std::map<std::string, double> by_key(const std::vector<LoadFigure>& figures) {
  std::map<std::string, double> values;
  for (const LoadFigure& figure : figures) values[figure.key] = figure.value;
  return values;
}

LoadExperiment small_experiment() {
  return {.shape = {.images = 10}, .policies = {kAllPolicies.begin(), kAllPolicies.end()}, .seeds = 3};
}

TEST(LoadFigures, AreThoseThatCanBeWorkedOutByHand) {
  Page page;
  for (int i = 0; i < 4; ++i) page.images.push_back({.ends = {1, 2, 3, 4}});
  page.images.push_back({.ends = {1, 2, 3, 4}, .requested = 10, .is_late = true});
  PageLoad load;
  load.images = {{1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}, {4, 5, 6, 7}, {20, 30, 40, 50}};
  load.end = 50;
  load.frames = 17;
  const auto figures = by_key(figures_of(page, {.round_trip = 2}, load));
  EXPECT_EQ(figures.at("head_median_s"), 2);
  EXPECT_EQ(figures.at("first_p95_s"), 5);
  EXPECT_EQ(figures.at("full_max_s"), 7);
  EXPECT_NEAR(figures.at("speed_index_s"), 0.5 * 3.5 + 0.4 * 4.5 + 0.1 * 5.5, 1e-9);
  EXPECT_EQ(figures.at("late_head_s"), 20 - 9) << "the client asked half a round trip before";
  EXPECT_EQ(figures.at("late_full_s"), 50 - 9);
  EXPECT_EQ(figures.at("end_s"), 50);
  EXPECT_EQ(figures.at("frames"), 17);
}

TEST(LoadFigures, MediansAreOfEachFigure) {
  std::vector<std::vector<LoadFigure>> loads;
  for (const double value : {5.0, 1.0, 3.0})
    loads.push_back({{.key = "a", .value = value}, {.key = "b", .value = -value}});
  const auto medians = by_key(medians_of(loads));
  EXPECT_EQ(medians.at("a"), 3);
  EXPECT_EQ(medians.at("b"), -3);
}

TEST(LoadExperiment, PhasesShowsAPageSoonerThanTheOthers) {
  const auto outcomes = small_experiment().run();
  ASSERT_EQ(outcomes.size(), 4U);
  std::map<SchedulingPolicy, std::map<std::string, double>> medians;
  for (const PolicyOutcome& outcome : outcomes) medians[outcome.policy] = by_key(medians_of(outcome.figures));
  auto& phases = medians[SchedulingPolicy::kPhases];
  for (const auto& [policy, figures] : medians) {
    if (policy == SchedulingPolicy::kPhases) continue;
    EXPECT_LT(phases["head_max_s"], figures.at("head_max_s"));
    EXPECT_LT(phases["first_max_s"], figures.at("first_max_s"));
    EXPECT_LT(phases["speed_index_s"], figures.at("speed_index_s"));
    EXPECT_NEAR(phases["end_s"] / figures.at("end_s"), 1, 0.02);
  }
  EXPECT_LT(phases["late_first_s"], medians[SchedulingPolicy::kFifo]["late_first_s"]);
}

TEST(LoadReport, TablesHaveARowForEachPolicy) {
  const LoadExperiment experiment = small_experiment();
  std::ostringstream out;
  print_tables(out, experiment, experiment.run());
  EXPECT_NE(out.str().find("10 images of 90 kB, 3 Mbit/s, round trip 50 ms"), std::string::npos);
  EXPECT_NE(out.str().find("medians of 3 seeds"), std::string::npos);
  EXPECT_NE(out.str().find("speed index"), std::string::npos);
  EXPECT_NE(out.str().find("the late urgent image"), std::string::npos);
  EXPECT_NE(out.str().find("\nrfc9218 "), std::string::npos);
}

TEST(LoadReport, LeavesOutALateImageThatIsNotThere) {
  LoadExperiment experiment = small_experiment();
  experiment.shape.has_late_request = false;
  std::ostringstream out;
  print_tables(out, experiment, experiment.run());
  EXPECT_EQ(out.str().find("late"), std::string::npos);
}

TEST(LoadReport, JsonHasRunsAndTheirMedians) {
  const LoadExperiment experiment = small_experiment();
  const auto document = nlohmann::json::parse(to_json(experiment, experiment.run()));
  EXPECT_EQ(document["images"], 10);
  ASSERT_EQ(document["policies"].size(), 4U);
  EXPECT_EQ(document["policies"][0]["policy"], "phases");
  std::vector<double> ends;
  for (const auto& run : document["policies"][0]["runs"]) ends.push_back(run["end_s"]);
  ASSERT_EQ(ends.size(), 3U);
  std::ranges::sort(ends);
  EXPECT_EQ(document["policies"][0]["medians"]["end_s"], ends[1]);
}

TEST(LoadReport, CsvHasALineForEachPictureAndPolicy) {
  const LoadExperiment experiment = small_experiment();
  std::ostringstream out;
  write_csv(out, experiment, experiment.run());
  const std::string text = out.str();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 4 * 11);
  EXPECT_TRUE(
      text.starts_with("policy,image,late,bytes,urgency,requested_s,head_s,first_s,good_s,full_s\nphases,1,0,"));
  EXPECT_NE(text.find("\nfifo,11,1,"), std::string::npos);
}

TEST(LoadReport, ChartHasAWaterfallForEachPolicyAndWhatIsSeen) {
  const LoadExperiment experiment = small_experiment();
  const auto chart = chart_of(experiment, experiment.run());
  ASSERT_EQ(chart.panels.size(), 5U);
  ASSERT_EQ(chart.panels[0].series.size(), 4U);
  EXPECT_EQ(chart.panels[0].series[1].name, "first");
  EXPECT_EQ(chart.panels[0].series[1].points.size(), 11U);
  for (const auto& series : chart.panels.back().series) {
    EXPECT_EQ(series.points.front().y, 0);
    EXPECT_NEAR(series.points.back().y, 1, 1e-9);
    EXPECT_TRUE(std::ranges::is_sorted(series.points, {}, &pool::plot::Point::y));
  }
}

}  // namespace
}  // namespace optimux::apps
