#include "apps/optimux/pool/live_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace optimux::apps {
namespace {

constexpr const char* kPools = R"({"pools": [{
  "name": "image", "live": 2, "workers_min": 1, "workers_max": 4, "in_flight": 2, "queue_depth": 7,
  "recommendation": {"verdict": "raise the cap", "workers": 6, "gated": true, "text": "Raise it."}}]})";

TEST(LiveReport, SaysItInWords) {
  EXPECT_EQ(
      recommendations_text(kPools).value(),
      "image: raise the cap\n  2 workers of 1 to 4, 2 jobs in flight, 7 waiting; the gate is closed\n  Raise it.\n");
}

TEST(LiveReport, OneIsOne) {
  std::string pools = kPools;
  for (const std::string field : {R"("live": )", R"("in_flight": )"})
    pools.replace(pools.find(field) + field.size(), 1, "1");
  EXPECT_NE(recommendations_text(pools).value().find("1 worker of 1 to 4, 1 job in flight, 7 waiting"),
            std::string::npos);
}

TEST(LiveReport, WordsOfAnotherServerAreEscapedForATerminal) {
  std::string pools = kPools;
  for (const std::string word : {"image", "raise the cap", "Raise it."})
    pools.insert(pools.find(word), "\\u001b[1m\\u202e");
  EXPECT_EQ(
      recommendations_text(pools).value(),
      "\\u001b[1m\\u202eimage: \\u001b[1m\\u202eraise the cap\n  2 workers of 1 to 4, 2 jobs in flight, 7 waiting; "
      "the gate is closed\n  \\u001b[1m\\u202eRaise it.\n");
}

TEST(LiveReport, PassesTheRecommendationsOn) {
  const auto json = nlohmann::json::parse(recommendations_json(kPools).value());
  EXPECT_EQ(json["pools"][0]["name"], "image");
  EXPECT_EQ(json["pools"][0]["recommendation"]["workers"], 6);
}

TEST(LiveReport, RefusesOtherAnswers) {
  for (const char* text : {"", "<html>", "{}", "[]", R"({"pools": [{}]})", R"({"pools": [{"name": "image"}]})"}) {
    EXPECT_FALSE(recommendations_text(text)) << text;
    EXPECT_FALSE(recommendations_json(text)) << text;
  }
}

}  // namespace
}  // namespace optimux::apps
