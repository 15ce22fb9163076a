#include "base/log.hpp"

#include <chrono>
#include <cmath>
#include <functional>
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

// A terminal shows the marks' effect and not the marks: a line could read as what it is not.
TEST(Log, AValueCannotTurnTheOrderOfALineOrEndIt) {
  constexpr const char* kPath = "/a\u202Egpj\u2066\u200F\u2028\xC2\x85\xFF";
  constexpr std::string_view kEscaped = R"("/a\u202egpj\u2066\u200f\u2028\u0085\ufffd")";
  EXPECT_EQ(line(LogFormat::kText, {{"path", kPath}}), "event=request path=" + std::string(kEscaped));
  EXPECT_EQ(line(LogFormat::kJson, {{"path", kPath}}), R"("event":"request","path":)" + std::string(kEscaped));
}

TEST(Log, TimesAreMilliseconds) {
  using std::chrono::microseconds;
  EXPECT_EQ(line(LogFormat::kText, {{"a", microseconds(0)}, {"b", microseconds(1)}, {"c", microseconds(60'001'230)}}),
            "event=request a=0.000 b=0.001 c=60001.230");
  EXPECT_EQ(line(LogFormat::kJson, {{"a", microseconds(-1500)}}), R"("event":"request","a":-1.500)");
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

TEST(Log, LinesThatWaitComeInTheirOrder) {
  auto log = make_stderr_log(LogFormat::kText, LogLevel::kInfo);
  const auto output_of = [](const std::function<void()>& step) {
    testing::internal::CaptureStderr();
    step();
    std::string events;
    const std::string output = testing::internal::GetCapturedStderr();
    for (std::size_t at = output.find("event="); at != std::string::npos; at = output.find("event=", at + 1)) {
      events += output.substr(at + 6, 1);
    }
    return events;
  };
  EXPECT_EQ(output_of([&] { log->write_soon(LogLevel::kInfo, "a", {}); }), "");
  EXPECT_EQ(output_of([&] { log->write_soon(LogLevel::kDebug, "no", {}); }), "");
  EXPECT_EQ(output_of([&] { log->info("b"); }), "ab");
  EXPECT_EQ(output_of([&] { log->write_soon(LogLevel::kInfo, "c", {}); }), "");
  EXPECT_EQ(output_of([&] { log->flush(); }), "c");
  EXPECT_EQ(output_of([&] { log->flush(); }), "");
  EXPECT_EQ(output_of([&] { log->write_soon(LogLevel::kInfo, "d", {}); }), "");
  EXPECT_EQ(output_of([&] { log.reset(); }), "d");
}

TEST(Log, NoMoreThanSomeLinesWait) {
  const auto log = make_stderr_log(LogFormat::kText, LogLevel::kInfo);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 65; ++i) log->write_soon(LogLevel::kInfo, std::string(1'024, 'x'), {});
  EXPECT_GT(testing::internal::GetCapturedStderr().size(), 60'000u);
}

}  // namespace
}  // namespace optimux::base
