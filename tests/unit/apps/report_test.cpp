#include "apps/optimux/transform/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace optimux::apps {
namespace {

Outcome written() {
  Outcome outcome;
  outcome.kind = Outcome::Kind::kWritten;
  outcome.input = "a.jpg";
  outcome.output = "a.webp";
  outcome.size = "300x0";
  outcome.width = 300;
  outcome.height = 169;
  outcome.bytes = 2048;
  outcome.elapsed = std::chrono::microseconds(1500);
  return outcome;
}

Outcome failed() {
  Outcome outcome;
  outcome.input = "b\xff.jpg";
  outcome.size = "300x0";
  outcome.error = Failure{"broken_media", "the picture ends early", "premature end"};
  return outcome;
}

class ReportTest : public testing::Test {
 protected:
  std::ostringstream out_;
  std::ostringstream messages_;
};

TEST_F(ReportTest, PeopleSeeFailuresAndASummary) {
  Report report({.expected = 2}, out_, messages_);
  report.add(written());
  report.add(failed());
  report.finish(3, false);
  EXPECT_EQ(messages_.str().substr(0, messages_.str().find(" in ")),
            "optimux: b\\ufffd.jpg: the picture ends early (premature end)\n1 written, 0 skipped, 1 failed; 2.0 KiB");
  EXPECT_NE(messages_.str().find("; 3 files that are no images by their names passed over\n"), std::string::npos);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(report.exit_code(), ExitCode::kFailure);
}

TEST_F(ReportTest, OneFileIsOneFile) {
  Report report({}, out_, messages_);
  report.finish(1, false);
  EXPECT_NE(messages_.str().find("; 1 file that is no image by its name passed over\n"), std::string::npos);
}

TEST_F(ReportTest, WhatAnInterruptionLeftUndoneIsCounted) {
  Report report({.expected = 20}, out_, messages_);
  report.add(written());
  report.finish(0, true);
  EXPECT_TRUE(messages_.str().starts_with("1 written, 0 skipped, 0 failed, 19 not made; 2.0 KiB in "));
  EXPECT_TRUE(messages_.str().ends_with("; interrupted\n"));
}

TEST_F(ReportTest, QuietPrintsFailuresOnly) {
  Report report({.quiet = true}, out_, messages_);
  report.add(written());
  report.finish(0, false);
  EXPECT_EQ(messages_.str(), "");
  EXPECT_EQ(report.exit_code(), ExitCode::kSuccess);
}

TEST_F(ReportTest, JsonIsOneObjectALine) {
  Report report({.json = true, .expected = 5}, out_, messages_);
  report.add(written());
  report.add(failed());
  report.finish(0, true);
  std::istringstream lines(out_.str());
  std::string line;
  std::getline(lines, line);
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["status"], "written");
  EXPECT_EQ(first["output"], "a.webp");
  EXPECT_EQ(first["width"], 300);
  EXPECT_EQ(first["bytes"], 2048);
  EXPECT_EQ(first["ms"], 1.5);
  std::getline(lines, line);
  const auto second = nlohmann::json::parse(line);
  EXPECT_EQ(second["status"], "failed");
  EXPECT_EQ(second["input"], "b\xef\xbf\xbd.jpg");
  EXPECT_EQ(second["error"]["code"], "broken_media");
  EXPECT_FALSE(second.contains("output"));
  std::getline(lines, line);
  const auto summary = nlohmann::json::parse(line)["summary"];
  EXPECT_EQ(summary["written"], 1);
  EXPECT_EQ(summary["failed"], 1);
  EXPECT_EQ(summary["not_made"], 3);
  EXPECT_EQ(summary["interrupted"], true);
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_EQ(messages_.str(), "");
}

TEST_F(ReportTest, TheBarShowsNoControlCharactersOfAName) {
  Report report({.progress = true, .expected = 2}, out_, messages_);
  Outcome outcome = written();
  outcome.input = "a\x1b[31m.jpg";
  report.add(outcome);
  EXPECT_EQ(messages_.str(), "\r\x1b[K[###############---------------] 1/2 a\\u001b[31m.jpg");
}

TEST_F(ReportTest, TheBarShowsTheEndOfALongNameInWholeCharacters) {
  Report report({.progress = true, .expected = 1}, out_, messages_);
  Outcome outcome = written();
  outcome.input = "x\xc3\xa4" + std::string(35, 'b') + ".jpg";  // The fortieth byte from behind is within the umlaut.
  report.add(outcome);
  EXPECT_TRUE(messages_.str().ends_with(" 1/1 " + std::string(35, 'b') + ".jpg")) << messages_.str();
}

TEST_F(ReportTest, NeitherDetailNorCauseReachesATerminalUnescaped) {
  Report report({}, out_, messages_);
  Outcome outcome = failed();
  outcome.input = "a\n.jpg";
  outcome.error = Failure{"origin_failed", "'\x1b[2J' failed", "\xe2\x80\xaegpj.exe"};
  report.add(outcome);
  EXPECT_EQ(messages_.str(), "optimux: a\\n.jpg: '\\u001b[2J' failed (\\u202egpj.exe)\n");
}

TEST_F(ReportTest, OutputThatCannotBeWrittenIsAFailure) {
  out_.setstate(std::ios::badbit);
  Report report({.json = true}, out_, messages_);
  report.finish(0, false);
  EXPECT_EQ(report.exit_code(), ExitCode::kFailure);
}

}  // namespace
}  // namespace optimux::apps
