#include "base/log.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::base {
namespace {

std::string line(LogFormat format, std::vector<LogField> fields) {
  return format_log_line(format, "request", fields);
}

TEST(Log, TextIsKeyValue) {
  EXPECT_EQ(line(LogFormat::kText, {{"status", 200}, {"ms", 1.25}, {"hit", true}, {"path", "/a"}}),
            "event=request status=200 ms=1.250 hit=true path=/a");
}

TEST(Log, JsonIsOneObjectsInside) {
  EXPECT_EQ(line(LogFormat::kJson, {{"status", 200}, {"path", "/a\"b"}}),
            R"("event":"request","status":200,"path":"/a\"b")");
}

TEST(Log, AValueCannotForgeAFieldOrALine) {
  EXPECT_EQ(line(LogFormat::kText, {{"path", "/a status=500\nevent=fake"}}),
            R"(event=request path="/a status=500\nevent=fake")");
  EXPECT_EQ(line(LogFormat::kText, {{"path", ""}}), R"(event=request path="")");
}

TEST(Log, NumbersThatCannotBeWrittenAreNull) {
  for (const double number : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300}) {
    EXPECT_EQ(line(LogFormat::kJson, {{"ms", number}}), R"("event":"request","ms":null)") << number;
  }
}

TEST(Log, LevelsHaveNamesThatParse) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError, LogLevel::kOff}) {
    EXPECT_EQ(parse_log_level(name_of(level)).value(), level);
  }
  EXPECT_FALSE(parse_log_level("loud").has_value());
}

TEST(Log, WritesLinesAtOrAboveItsLevelToStandardError) {
  testing::internal::CaptureStderr();
  const auto log = make_stderr_log(LogFormat::kJson, LogLevel::kInfo);
  log->debug("hidden");
  log->info("shown", {{"status", 204}});
  log->set_level(LogLevel::kError);
  log->warning("hidden too");
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_NE(output.find(R"("level":"info","event":"shown","status":204})"), std::string::npos) << output;
  EXPECT_EQ(output.find("hidden"), std::string::npos) << output;
}

}  // namespace
}  // namespace optimux::base
