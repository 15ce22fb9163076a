#include "apps/optimux/pool/sweep/job_spec.hpp"

#include "apps/optimux/pool/seconds.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

using Words = std::vector<std::string>;

TEST(Seconds, KnowTheirUnits) {
  EXPECT_DOUBLE_EQ(parse_seconds("640us").value(), 640e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5ms").value(), 1.5e-3);
  EXPECT_DOUBLE_EQ(parse_seconds("20ns").value(), 20e-9);
  EXPECT_DOUBLE_EQ(parse_seconds("2s").value(), 2);
  EXPECT_DOUBLE_EQ(parse_seconds("1m").value(), 60);
}

TEST(Seconds, RefuseWhatIsNoDuration) {
  for (const char* text : {"", "5", "0ms", "-1ms", "ms", "1 ms", "1h", "61m", "1.ms.", "nan"}) {
    EXPECT_FALSE(parse_seconds(text)) << text;
  }
}

TEST(JobSpec, ReadsEachKind) {
  EXPECT_EQ(std::get<BurnJob>(parse_job("burn:20000").value()).rounds, 20'000);
  EXPECT_DOUBLE_EQ(std::get<SleepJob>(parse_job("sleep:1ms").value()).seconds, 1e-3);
  const auto mixed = std::get<MixedJob>(parse_job("mixed:500,2ms").value());
  EXPECT_EQ(mixed.burn.rounds, 500);
  EXPECT_DOUBLE_EQ(mixed.sleep.seconds, 2e-3);
  EXPECT_EQ(std::get<ExecJob>(parse_job("exec:echo a").value()).arguments, (Words{"echo", "a"}));
  EXPECT_EQ(std::get<UrlJob>(parse_job("url:http://127.0.0.1:1/a?b=c").value()).url, "http://127.0.0.1:1/a?b=c");
}

TEST(JobSpec, RefusesWhatIsNone) {
  for (const char* text :
       {"", "burn", "burn:", "burn:0", "burn:-1", "burn:2x", "sleep:", "sleep:1", "mixed:1", "mixed:1,2", "mixed:1ms,1",
        "exec:", "exec:  ", "exec:''", "url:ftp://a", "url:file:///a", "paint:1"}) {
    EXPECT_FALSE(parse_job(text)) << text;
  }
}

TEST(SplitCommand, PartsWordsAtBlanks) {
  EXPECT_EQ(split_command("  a\tb  c ").value(), (Words{"a", "b", "c"}));
}

TEST(SplitCommand, KeepsWhatIsQuoted) {
  EXPECT_EQ(split_command("a 'b c' \"d e\"").value(), (Words{"a", "b c", "d e"}));
  EXPECT_EQ(split_command("a'b c'd").value(), (Words{"ab cd"}));
  EXPECT_EQ(split_command("a ''").value(), (Words{"a", ""}));
  EXPECT_EQ(split_command("'\\' \"\\\"\\\\\\n\"").value(), (Words{"\\", "\"\\\\n"}));
  EXPECT_EQ(split_command("a\\ b \\'").value(), (Words{"a b", "'"}));
}

TEST(SplitCommand, KnowsNoShell) {
  EXPECT_EQ(split_command("echo $HOME *.jpg | cat > f; ls").value(),
            (Words{"echo", "$HOME", "*.jpg", "|", "cat", ">", "f;", "ls"}));
}

TEST(SplitCommand, RefusesOpenQuotes) {
  for (const char* text : {"'a", "\"a", "a\\", "\"a\\\""}) EXPECT_FALSE(split_command(text)) << text;
}

}  // namespace
}  // namespace optimux::apps
