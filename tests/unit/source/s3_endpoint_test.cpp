#include "source/s3_endpoint.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

std::string url_of(const std::string& endpoint, S3Addressing addressing, const ObjectName& name,
                   const std::string& region = "us-east-1") {
  const auto target = S3Endpoint::make(endpoint, region, addressing).value().target_of(name);
  return target ? target->url.text : std::string(base::name_of(target.error().code));
}

TEST(S3EndpointTest, PutsTheBucketWhereTheStoreWantsIt) {
  EXPECT_EQ(url_of("", S3Addressing::kAuto, {"photos", "a.jpg"}), "https://photos.s3.us-east-1.amazonaws.com/a.jpg");
  EXPECT_EQ(url_of("", S3Addressing::kAuto, {"pho.tos", "a"}), "https://s3.us-east-1.amazonaws.com/pho.tos/a");
  EXPECT_EQ(url_of("", S3Addressing::kPath, {"photos", "a"}), "https://s3.us-east-1.amazonaws.com/photos/a");
  EXPECT_EQ(url_of("", S3Addressing::kAuto, {"photos", "a"}, "cn-north-1"),
            "https://photos.s3.cn-north-1.amazonaws.com.cn/a");
  EXPECT_EQ(url_of("http://127.0.0.1:9000", S3Addressing::kAuto, {"photos", "a"}), "http://127.0.0.1:9000/photos/a");
  EXPECT_EQ(url_of("http://localhost:9000", S3Addressing::kHost, {"photos", "a"}), "http://photos.localhost:9000/a");
  EXPECT_EQ(url_of("https://[::1]", S3Addressing::kPath, {"photos", "a"}), "https://[::1]/photos/a");
}

TEST(S3EndpointTest, SendsTheBytesOfAKeyAndNothingElse) {
  const auto path_of = [](const std::string& key) {
    return S3Endpoint::make("http://h", "r", S3Addressing::kPath).value().target_of({"b", key}).value().path;
  };
  EXPECT_EQ(path_of("3js%205-x.jpg"), "/b/3js%25205-x.jpg");
  EXPECT_EQ(path_of("John_Doe #1 (P 1)[5].jpg"), "/b/John_Doe%20%231%20%28P%201%29%5B5%5D.jpg");
  EXPECT_EQ(path_of("a+b=c&d?e"), "/b/a%2Bb%3Dc%26d%3Fe");
  EXPECT_EQ(path_of("/a//b/"), "/b//a//b/");
  EXPECT_EQ(path_of("a/../b/./c"), "/b/a/../b/./c");
  EXPECT_EQ(path_of("\xC3\xA9\xE2\x82\xAC.jpg"), "/b/%C3%A9%E2%82%AC.jpg");
  EXPECT_EQ(path_of(std::string(1024, 'x')), "/b/" + std::string(1024, 'x'));
}

TEST(S3EndpointTest, ListsWhatBeginsWithAPrefix) {
  const auto endpoint = S3Endpoint::make("http://h", "r", S3Addressing::kPath).value();
  const auto first = endpoint.list_target_of({"b", "a/"}, "").value();
  EXPECT_EQ(first.url.text, "http://h/b?list-type=2&prefix=a%2F");
  EXPECT_EQ(first.path, "/b");
  EXPECT_EQ(first.query, "list-type=2&prefix=a%2F");
  EXPECT_EQ(endpoint.list_target_of({"b", ""}, "x=")->query, "continuation-token=x%3D&list-type=2&prefix=");
  EXPECT_FALSE(endpoint.list_target_of({"", ""}, ""));
}

TEST(S3EndpointTest, SaysWhichHostIsSigned) {
  const auto target =
      S3Endpoint::make("HTTP://Host.Example:80", "r", S3Addressing::kHost).value().target_of({"b", "k"});
  EXPECT_EQ(target->authority, "b.host.example");
  EXPECT_EQ(target->url.host, "b.host.example");
  const auto other = S3Endpoint::make("https://127.0.0.1:8443", "r", S3Addressing::kPath).value().target_of({"b", "k"});
  EXPECT_EQ(other->authority, "127.0.0.1:8443");
  EXPECT_EQ(other->url.host, "127.0.0.1");
}

TEST(S3EndpointTest, RefusesNamesThatNoStoreCanHave) {
  for (const ObjectName& name :
       {ObjectName{"", "k"}, ObjectName{"b/c", "k"}, ObjectName{"b", ""}, ObjectName{"..", "k"},
        ObjectName{"b", std::string(1025, 'x')}, ObjectName{"b", std::string("a\0b", 3)}}) {
    EXPECT_EQ(url_of("http://h", S3Addressing::kPath, name), "not_found") << name.bucket << " " << name.key;
  }
  EXPECT_EQ(url_of("http://h", S3Addressing::kHost, {"Upper", "k"}), "not_found");
  EXPECT_EQ(url_of("http://h", S3Addressing::kHost, {"a.b", "k"}), "not_found");
}

TEST(S3EndpointTest, RefusesWhatIsNoEndpoint) {
  for (const char* endpoint : {"ftp://h", "h:9000", "http://h/base", "http://h/?q", "http://u:p@h", "http://"}) {
    const auto made = S3Endpoint::make(endpoint, "r", S3Addressing::kAuto);
    ASSERT_FALSE(made) << endpoint;
    EXPECT_NE(made.error().detail.find("s3_endpoint"), std::string::npos) << made.error().detail;
  }
  const auto made = S3Endpoint::make("", "us east", S3Addressing::kAuto);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().detail.find("s3_region"), std::string::npos) << made.error().detail;
}

TEST(S3EndpointTest, NamesOfAddressingsReadBack) {
  for (const auto addressing : {S3Addressing::kAuto, S3Addressing::kPath, S3Addressing::kHost}) {
    EXPECT_EQ(parse_s3_addressing(name_of(addressing)), addressing);
  }
  EXPECT_FALSE(parse_s3_addressing("virtual"));
}

}  // namespace
}  // namespace optimux::source
