#include "simulator/trace.hpp"

#include "simulator/support.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace optimux::pool::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string error_of(const std::string& text) {
  std::istringstream in(text);
  const auto trace = read_trace(in, "t");
  return trace ? "" : trace.error().field + " " + trace.error().message;
}

TEST(Trace, ReadsArrivalsWithTheirTimes) {
  std::istringstream in("arrival_s,cpu_s,wait_s\n# a comment\n\n0.5, 0.1, 0.2\r\n1.5,0.3\n");
  auto trace = read_trace(in, "t");
  ASSERT_TRUE(trace);
  ASSERT_EQ((*trace).jobs.size(), 2U);
  EXPECT_EQ((*trace).jobs[0].at, milliseconds(500));
  EXPECT_EQ((*trace).jobs[0].cpu, milliseconds(100));
  EXPECT_EQ((*trace).jobs[0].wait, milliseconds(200));
  EXPECT_EQ((*trace).jobs[1].wait, Duration::zero());
  EXPECT_EQ((*trace).length, milliseconds(1500));
}

TEST(Trace, NamesTheLineThatIsWrong) {
  EXPECT_NE(error_of("1,1\nx,1\n").find("line 2"), std::string::npos);
  EXPECT_NE(error_of("1\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("1,1,1,1\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("1,-1\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("1,1e7\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("1,nan\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("2,1\n1,1\n").find("line 2 arrives before"), std::string::npos);
  EXPECT_NE(error_of("arrival,cpu\n").find("no job"), std::string::npos);
}

TEST(Trace, IsReadAsItWasWritten) {
  const Trace trace = testing::trace_of({{milliseconds(1), Duration(7), seconds(3)}, {seconds(2), {}, Duration(1)}});
  std::stringstream text;
  write_trace(text, trace);
  auto again = read_trace(text, "t");
  ASSERT_TRUE(again);
  ASSERT_EQ((*again).jobs.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(static_cast<double>(((*again).jobs[i].at - trace.jobs[i].at).count()), 0, 1);
    EXPECT_NEAR(static_cast<double>(((*again).jobs[i].cpu - trace.jobs[i].cpu).count()), 0, 1);
    EXPECT_NEAR(static_cast<double>(((*again).jobs[i].wait - trace.jobs[i].wait).count()), 0, 1);
  }
}

TEST(Trace, FindsItsBusiestTime) {
  std::vector<TraceJob> jobs;
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < (second >= 30 && second < 45 ? 4 : 1); ++i) jobs.push_back({seconds(second), {}, seconds(1)});
  }
  const Trace trace = testing::trace_of(jobs);
  EXPECT_EQ(trace.rises_at, seconds(30));
  EXPECT_DOUBLE_EQ(trace.busy_workers, 4);
}

}  // namespace
}  // namespace optimux::pool::simulator
