#include "source/s3_call.hpp"

#include <atomic>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "unit/source/s3_store_fixture.hpp"

namespace optimux::source {
namespace {

using std::chrono::milliseconds;

/// The repetitions of a request, and what keeps it from being repeated.
class S3CallTest : public S3StoreFixture {
 protected:
  /// Answers the first `count` requests with `bytes`, and ends the connection if `closes`; then the object.
  OriginStub::Handler failing_first(int count, std::string bytes, bool closes = false) {
    return [this, count, bytes = std::move(bytes), closes](OriginConnection& connection, const std::string&) {
      if (++requests_ > count) return connection.send(answer("200 OK", "picture"));
      connection.send(bytes);
      return !closes;
    };
  }

  std::atomic<int> requests_ = 0;
};

TEST_F(S3CallTest, TriesAgainOnANewConnectionWhenTheStoreFails) {
  for (const std::string& bytes : {refusal("500 Internal Server Error", "InternalError"),
                                   refusal("503 Slow Down", "SlowDown"), refusal("429 Too Many Requests", "")}) {
    requests_ = 0;
    const auto& server = serve(failing_first(2, bytes));
    EXPECT_EQ(text_of(get("a")), "picture") << bytes;
    EXPECT_EQ(server.connection_count(), 3);
    EXPECT_EQ(store().figures().retries, 2u);
    EXPECT_EQ(store().figures().failures, 0u);
  }
}

TEST_F(S3CallTest, TriesAgainWhenTheAnswerIsCutOff) {
  for (const char* bytes : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"}) {
    requests_ = 0;
    serve(failing_first(1, bytes, true));
    EXPECT_EQ(text_of(get("a")), "picture") << bytes;
  }
}

TEST_F(S3CallTest, GivesUpAfterSoManyAttempts) {
  const auto& server = serve(always(refusal("503 Slow Down", "SlowDown")));
  const auto result = get("a");
  EXPECT_EQ(outcome_of(result), "origin_failed");
  EXPECT_NE(result.error().cause.find("SlowDown"), std::string::npos) << result.error().cause;
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(S3CallTest, DoesNotRepeatWhatCannotHelp) {
  for (const std::string& bytes :
       {refusal("404 Not Found", "NoSuchKey"), refusal("403 Forbidden", "AccessDenied"), refusal("400 Bad", "")}) {
    const auto& server = serve(always(bytes));
    EXPECT_NE(outcome_of(get("a")), "ok");
    EXPECT_EQ(server.requests().size(), 1u) << bytes;
  }
}

TEST_F(S3CallTest, WaitsNoLongerThanTheTimeThatIsLeft) {
  auto settings = test_settings();
  settings.delays = {std::chrono::hours(1'000'000), std::chrono::hours(1'000'000)};
  const auto& server = serve(always(refusal("503 Slow Down", "SlowDown")), settings);
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(S3CallTest, GivesUpAnAttemptWithoutAnAnswerForTheNext) {
  auto settings = test_settings();
  settings.http.total_timeout = milliseconds(30'000);
  settings.max_attempts = 100;  // Each gets a hundredth of the time.
  serve(
      [this](OriginConnection& connection, const std::string&) {
        if (++requests_ > 1) return connection.send(answer("200 OK", "picture"));
        connection.stall();
        return false;
      },
      settings);
  EXPECT_EQ(text_of(get("a")), "picture");
}

TEST_F(S3CallTest, AStallComesToATimeout) {
  auto settings = test_settings();
  settings.http.total_timeout = milliseconds(30);
  settings.max_attempts = 1;
  serve(
      [](OriginConnection& connection, const std::string&) {
        connection.stall();
        return false;
      },
      settings);
  EXPECT_EQ(outcome_of(get("a")), "origin_timeout");
}

TEST_F(S3CallTest, CorrectsItsClockByTheStores) {
  const auto& server = serve(
      failing_first(1, refusal("403 Forbidden", "RequestTimeTooSkewed", "Date: Fri, 24 May 2013 12:00:00 GMT\r\n")));
  EXPECT_EQ(text_of(get("a")), "picture");
  EXPECT_EQ(text_of(get("b")), "picture");
  const auto requests = server.requests();
  EXPECT_NE(field_of(requests.at(0), "x-amz-date").substr(0, 8), "20130524");
  EXPECT_EQ(field_of(requests.at(1), "x-amz-date").substr(0, 8), "20130524");
  EXPECT_EQ(field_of(requests.at(2), "x-amz-date").substr(0, 8), "20130524") << "it remembers";
}

TEST_F(S3CallTest, AHeadIsRefusedForTheClockWithoutAWord) {
  const auto& server = serve(failing_first(1, "HTTP/1.1 403 Forbidden\r\nDate: Fri, 24 May 2013 12:00:00 GMT\r\n\r\n"));
  EXPECT_EQ(outcome_of(run({.action = ObjectRequest::Action::kHead, .name = {"bucket", "a"}})), "ok");
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(S3CallTest, CorrectsItsClockOnlyOnce) {
  const auto& server =
      serve(always(refusal("403 Forbidden", "RequestTimeTooSkewed", "Date: Fri, 24 May 2013 12:00:00 GMT\r\n")));
  EXPECT_EQ(outcome_of(get("a")), "origin_failed") << "no fault of the one who asks";
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(S3CallTest, WithoutADateTheClockStays) {
  const auto& server = serve(always(refusal("403 Forbidden", "RequestTimeTooSkewed")));
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(S3CallTest, RenewsCredentialsThatHaveExpired) {
  const auto& server = serve(failing_first(1, refusal("400 Bad Request", "ExpiredToken")));
  EXPECT_EQ(text_of(get("a")), "picture");
  EXPECT_EQ(server.requests().size(), 2u);
  serve(always(refusal("400 Bad Request", "ExpiredToken")));
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
}

TEST_F(S3CallTest, WithoutCredentialsNothingIsSent) {
  CredentialSettings credentials;
  credentials.place = CredentialSettings::Place::kEnvironment;
  const auto& server = serve(always(answer("200 OK", "x")), test_settings(), credentials);
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
  EXPECT_EQ(server.requests().size(), 0u);
  credentials.place = CredentialSettings::Place::kNone;
  const auto& open_to_all = serve(always(answer("200 OK", "x")), test_settings(), credentials);
  EXPECT_EQ(outcome_of(get("a")), "ok");
  EXPECT_FALSE(has_field(open_to_all.requests().at(0), "authorization:"));
}

TEST_F(S3CallTest, GivesAHostUpThatFailsTimeAfterTime) {
  auto settings = test_settings();
  settings.breaker = {.failures = 4, .time = std::chrono::hours(1)};
  const auto& server = serve(always(refusal("500 Internal Server Error", "InternalError")), settings);
  get("a");
  get("a");
  EXPECT_EQ(server.requests().size(), 4u) << "three attempts, and one more";
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
  EXPECT_EQ(server.requests().size(), 4u);
  const auto figures = store().figures();
  EXPECT_EQ(figures.breaker_opens, 1u);
  EXPECT_EQ(figures.open_breakers, 1u);
  EXPECT_EQ(figures.breaker_refusals, 2u);
}

TEST_F(S3CallTest, TriesAHostAgainAfterAWhile) {
  auto settings = test_settings();
  settings.max_attempts = 1;
  settings.breaker = {.failures = 1, .time = milliseconds(1)};
  serve(failing_first(1, refusal("500 Internal Server Error", "InternalError")), settings);
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
  std::string outcome;
  for (int i = 0; i < 10'000 && outcome != "ok"; ++i) outcome = outcome_of(get("a"));
  EXPECT_EQ(outcome, "ok");
  EXPECT_EQ(store().figures().open_breakers, 0u);
}

TEST_F(S3CallTest, RefusalsDoNotOpenTheBreaker) {
  auto settings = test_settings();
  settings.breaker = {.failures = 1, .time = std::chrono::hours(1)};
  const auto& server = serve(always(refusal("404 Not Found", "NoSuchKey")), settings);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome_of(get("a")), "not_found");
  EXPECT_EQ(server.requests().size(), 3u);
}

}  // namespace
}  // namespace optimux::source
