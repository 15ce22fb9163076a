#include "source/s3_credentials.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

TEST(S3CredentialsTest, ReadsASectionOfACredentialsFile) {
  constexpr std::string_view kFile =
      "# keys\n[default]\naws_access_key_id = A\naws_secret_access_key=b=c\n\n"
      "[ other ]\r\nAWS_ACCESS_KEY_ID=D\r\naws_secret_access_key = e\r\naws_session_token = f\r\n; end\r\n[broken\nx\n";
  EXPECT_EQ(parse_credentials_file(kFile, "default"), (S3Credentials{"A", "b=c", "", std::nullopt}));
  EXPECT_EQ(parse_credentials_file(kFile, "other"), (S3Credentials{"D", "e", "f", std::nullopt}));
  EXPECT_FALSE(parse_credentials_file(kFile, "third"));
  EXPECT_FALSE(parse_credentials_file("[default]\naws_access_key_id = A\n", "default")) << "half a pair";
  EXPECT_FALSE(parse_credentials_file("", "default"));
}

TEST(S3CredentialsTest, ReadsTheDocumentOfAMetadataService) {
  const auto found = parse_credentials_document(
      R"({"Code":"Success","AccessKeyId":"A","SecretAccessKey":"b","Token":"c","Expiration":"2030-01-02T03:04:05Z"})");
  ASSERT_TRUE(found) << found.error().cause;
  EXPECT_EQ(found->access_key, "A");
  EXPECT_EQ(found->secret_key, "b");
  EXPECT_EQ(found->session_token, "c");
  EXPECT_EQ(found->expires, S3Credentials::Clock::from_time_t(1'893'553'445));
}

TEST(S3CredentialsTest, ADocumentThatIsNoneIsNotRepeatedInTheError) {
  for (const char* text : {"", "secret", "[\"secret\"]", R"({"SecretAccessKey":"secret"})",
                           R"({"AccessKeyId":"A","SecretAccessKey":"secret","Expiration":"soon"})",
                           R"({"AccessKeyId":7,"SecretAccessKey":"secret"})"}) {
    const auto found = parse_credentials_document(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().cause.find("secret"), std::string::npos) << found.error().cause;
    EXPECT_EQ(found.error().detail.find("secret"), std::string::npos) << found.error().detail;
  }
}

TEST(S3CredentialsTest, ReadsTheAnswerOfSts) {
  const auto found = parse_web_identity_answer(
      "<AssumeRoleWithWebIdentityResponse><Credentials><SessionToken>t</SessionToken><SecretAccessKey>s</"
      "SecretAccessKey>"
      "<Expiration>2030-01-02T03:04:05.678Z</Expiration><AccessKeyId>A</AccessKeyId></Credentials></X>");
  ASSERT_TRUE(found) << found.error().cause;
  EXPECT_EQ(*found, (S3Credentials{"A", "s", "t", S3Credentials::Clock::from_time_t(1'893'553'445)}));
  EXPECT_FALSE(parse_web_identity_answer("<Error/>"));
}

TEST(S3CredentialsTest, ReadsTimesOfIso8601) {
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:01Z"), S3Credentials::Clock::from_time_t(1));
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:01+00:00"), S3Credentials::Clock::from_time_t(1));
  for (const char* text :
       {"", "now", "1970-01-01", "1970-01-01T00:00:01", "1970-01-01T00:00:01+01:00", "1970-01-01T00:00:01Zx"}) {
    EXPECT_FALSE(parse_iso_time(text)) << text;
  }
}

}  // namespace
}  // namespace optimux::source
