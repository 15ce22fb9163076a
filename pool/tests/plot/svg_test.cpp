#include "plot/svg.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace optimux::pool::plot {
namespace {

Panel panel(std::string label, std::vector<Series> series) {
  Panel result;
  result.y.label = std::move(label);
  result.series = std::move(series);
  return result;
}

Chart chart_of(std::vector<Panel> panels) {
  Chart chart;
  chart.x.label = "time";
  chart.x.unit = "s";
  chart.panels = std::move(panels);
  return chart;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST(Svg, HasTitleAxesWithUnitsAndOneLegendEntryForEachName) {
  Chart chart = chart_of({panel("workers", {{"little", {{0, 1}, {10, 4}}}, {"fixed", {{0, 2}, {10, 2}}}}),
                          panel("queue", {{"little", {{0, 0}, {10, 9}}}})});
  chart.title = "Step load";
  chart.panels[1].y.unit = "jobs";
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, ">Step load<"), 2) << "as the file's title and on the page";
  EXPECT_EQ(count(svg, ">time (s)<"), 1);
  EXPECT_EQ(count(svg, ">workers<"), 1);
  EXPECT_EQ(count(svg, ">queue (jobs)<"), 1);
  EXPECT_EQ(count(svg, ">little<"), 1);
  EXPECT_EQ(count(svg, ">fixed<"), 1);
  EXPECT_EQ(count(svg, "<path"), 3);
}

TEST(Svg, SeriesOfOneNameShareAColour) {
  const std::string svg = to_svg(chart_of(
      {panel("a", {{"one", {{0, 1}, {1, 1}}}, {"two", {{0, 1}, {1, 1}}}}), panel("b", {{"two", {{0, 1}, {1, 1}}}})}));
  EXPECT_EQ(count(svg, "#0072b2"), 2) << "legend and line of the first";
  EXPECT_EQ(count(svg, "#d55e00"), 3) << "legend and both lines of the second";
}

TEST(Svg, EscapesTexts) {
  Chart chart = chart_of({panel("a<b", {{"\"x\" & y\n", {{0, 1}}}})});
  chart.title = "<script>";
  const std::string svg = to_svg(chart);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_NE(svg.find("&quot;x&quot; &amp; y "), std::string::npos);
}

TEST(Svg, PutsTheEndsOfTheDataAtTheEndsOfThePanel) {
  Chart chart = chart_of({panel("y", {{"s", {{0, 0}, {100, 10}}}})});
  chart.width = 1000;
  const std::string svg = to_svg(chart);
  // 78 px to the left, 18 to the right; the panel is 210 px high and begins below one line of legend.
  EXPECT_NE(svg.find("d=\"M78 248 L982 38\""), std::string::npos) << svg;
}

TEST(Svg, ALogarithmicAxisGivesEqualRatiosEqualRoom) {
  Chart chart = chart_of({panel("y", {{"s", {{0, 1}, {1, 1}, {10, 1}, {100, 1}}}})});
  chart.x.scale = Scale::kLog;
  chart.width = 1096;
  const std::string svg = to_svg(chart);
  EXPECT_NE(svg.find("M78 38 L578 38 L1078 38"), std::string::npos) << "and 0 has no place on it: " << svg;
}

TEST(Svg, StepsHoldTheirValue) {
  Chart chart = chart_of({panel("y", {{"s", {{0, 0}, {50, 10}, {100, 10}}, Style::kSteps}})});
  chart.width = 1096;
  EXPECT_NE(to_svg(chart).find("M78 248 L578 248 L578 38 L1078 38"), std::string::npos) << to_svg(chart);
}

TEST(Svg, ValuesThatAreNotFiniteLeaveAGap) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = to_svg(chart_of({panel("y", {{"s", {{0, 1}, {1, 1}, {2, nothing}, {3, 1}, {4, 1}}}})}));
  const auto path = svg.substr(svg.find("<path"));
  EXPECT_EQ(count(path.substr(0, path.find("/>")), "M"), 2);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Svg, DrawsBandsBehindAndMarkersAcross) {
  Chart chart = chart_of({panel("y", {{"s", {{0, 1}, {10, 1}}}})});
  chart.panels[0].bands.push_back({"s", {{0, 0.5, 1.5}, {10, 0.5, 2}}});
  chart.panels[0].markers = {{Marker::Kind::kVertical, 4, "step"},
                             {Marker::Kind::kHorizontal, 1.2, "limit"},
                             {Marker::Kind::kVertical, 400, "beyond"}};
  const std::string svg = to_svg(chart);
  EXPECT_LT(svg.find("<polygon"), svg.find("<path"));
  EXPECT_EQ(count(svg, ">s<"), 1) << "a band with the name of a series has no entry of its own";
  EXPECT_EQ(count(svg, ">step<"), 1);
  EXPECT_EQ(count(svg, ">limit<"), 1);
  EXPECT_EQ(count(svg, ">beyond<"), 0);
}

TEST(Svg, ThinsWhatCannotBeToldApart) {
  Series series{"s", {}};
  for (int i = 0; i < 200'000; ++i) series.points.push_back({i / 1000., std::sin(i)});
  EXPECT_LT(to_svg(chart_of({panel("y", {series})})).size(), 80'000U);
}

TEST(Svg, AnEmptyPanelIsDrawn) {
  const std::string svg = to_svg(chart_of({panel("y", {})}));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(count(svg, "<path"), 0);
  EXPECT_EQ(count(svg, "</svg>"), 1);
}

}  // namespace
}  // namespace optimux::pool::plot
