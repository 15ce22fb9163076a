#include "source/s3_signature.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

// Keys, requests and signatures of the examples in "Authenticating Requests: Using the Authorization Header (AWS
// Signature Version 4)", API reference of Amazon S3.
const S3Credentials kExampleCredentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "",
                                        std::nullopt};
constexpr const char* kExampleDate = "20130524T000000Z";
constexpr const char* kEmptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(S3SignatureTest, SignsAGetOfARangeAsPublished) {
  const S3RequestToSign request{"GET",
                                "/test.txt",
                                "",
                                {{"host", "examplebucket.s3.amazonaws.com"},
                                 {"range", "bytes=0-9"},
                                 {"x-amz-content-sha256", kEmptyHash},
                                 {"x-amz-date", kExampleDate}},
                                kEmptyHash};
  EXPECT_EQ(s3_authorization(request, kExampleCredentials, "us-east-1", kExampleDate),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(S3SignatureTest, SignsAPutOfAKeyWithASpecialCharacterAsPublished) {
  const std::string hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
  const S3RequestToSign request{"PUT",
                                "/test%24file.text",
                                "",
                                {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                 {"host", "examplebucket.s3.amazonaws.com"},
                                 {"x-amz-content-sha256", hash},
                                 {"x-amz-date", kExampleDate},
                                 {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                                hash};
  const std::string value = s3_authorization(request, kExampleCredentials, "us-east-1", kExampleDate);
  EXPECT_NE(value.find("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"), std::string::npos)
      << value;
}

TEST(S3SignatureTest, SignsAListAsPublished) {
  const S3RequestToSign request{
      "GET",
      "/",
      "max-keys=2&prefix=J",
      {{"host", "examplebucket.s3.amazonaws.com"}, {"x-amz-content-sha256", kEmptyHash}, {"x-amz-date", kExampleDate}},
      kEmptyHash};
  const std::string value = s3_authorization(request, kExampleCredentials, "us-east-1", kExampleDate);
  EXPECT_NE(value.find("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"), std::string::npos)
      << value;
}

TEST(S3SignatureTest, WritesTheDateInItsCompactForm) {
  EXPECT_EQ(s3_date(std::chrono::system_clock::time_point(std::chrono::seconds(1'369'353'600))), kExampleDate);
}

}  // namespace
}  // namespace optimux::source
