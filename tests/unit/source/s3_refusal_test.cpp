#include "source/s3_refusal.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

std::string body_of(const std::string& code) {
  return "<?xml version=\"1.0\"?>\n<Error><Code>" + code + "</Code><Message>Why &amp; how</Message></Error>";
}

std::string outcome_of(int status, const std::string& code) {
  return std::string(name_of(error_for(S3Refusal::read(status, body_of(code)), "GET x").code));
}

TEST(S3RefusalTest, ReadsCodeAndMessage) {
  const S3Refusal refusal = S3Refusal::read(404, body_of("NoSuchKey"));
  EXPECT_EQ(refusal.code, "NoSuchKey");
  EXPECT_EQ(refusal.message, "Why & how");
  EXPECT_EQ(error_for(refusal, "GET x").cause, "GET x: status 404 NoSuchKey: Why & how");
}

TEST(S3RefusalTest, DoesWithoutTheBody) {
  for (const char* body : {"", "<Code>", "<Code>cut", "not found", "</Code><Code>"}) {
    EXPECT_EQ(S3Refusal::read(404, body).code, "") << body;
  }
  EXPECT_EQ(error_for(S3Refusal::read(403, ""), "HEAD x").cause, "HEAD x: status 403");
}

TEST(S3RefusalTest, KeepsALongMessageOutOfTheLog) {
  const auto refusal = S3Refusal::read(500, "<Message>" + std::string(5000, 'x') + "</Message>");
  EXPECT_EQ(refusal.message.size(), 300u);
}

TEST(S3RefusalTest, TellsErrorsByTheTable) {
  EXPECT_EQ(outcome_of(404, "NoSuchKey"), "not_found");
  EXPECT_EQ(outcome_of(404, "NoSuchBucket"), "not_found");
  EXPECT_EQ(outcome_of(400, "KeyTooLongError"), "not_found");
  EXPECT_EQ(outcome_of(403, "AccessDenied"), "forbidden_source");
  EXPECT_EQ(outcome_of(403, "SignatureDoesNotMatch"), "forbidden_source");
  EXPECT_EQ(outcome_of(403, "RequestTimeTooSkewed"), "origin_failed");
  EXPECT_EQ(outcome_of(416, "InvalidRange"), "range_not_satisfiable");
  EXPECT_EQ(outcome_of(301, "PermanentRedirect"), "origin_failed");
  EXPECT_EQ(outcome_of(400, "ExpiredToken"), "origin_failed");
  EXPECT_EQ(outcome_of(500, "InternalError"), "origin_failed");
  EXPECT_EQ(outcome_of(503, "SlowDown"), "origin_failed");
}

TEST(S3RefusalTest, KnowsWhatMayHelp) {
  const auto remedy = [](int status, const char* code) { return remedy_for(S3Refusal::read(status, body_of(code))); };
  EXPECT_EQ(remedy(503, "SlowDown"), S3Remedy::kRetry);
  EXPECT_EQ(remedy(500, ""), S3Remedy::kRetry);
  EXPECT_EQ(remedy(429, ""), S3Remedy::kRetry);
  EXPECT_EQ(remedy(400, "RequestTimeout"), S3Remedy::kRetry);
  EXPECT_EQ(remedy(403, "RequestTimeTooSkewed"), S3Remedy::kCorrectClock);
  EXPECT_EQ(remedy(400, "ExpiredToken"), S3Remedy::kRenewCredentials);
  EXPECT_EQ(remedy(403, "InvalidAccessKeyId"), S3Remedy::kRenewCredentials);
  EXPECT_EQ(remedy(403, "AccessDenied"), S3Remedy::kNone);
  EXPECT_EQ(remedy(404, "NoSuchKey"), S3Remedy::kNone);
}

}  // namespace
}  // namespace optimux::source
