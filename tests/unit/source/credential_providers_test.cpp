#include "source/credential_providers.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/source/s3_store_fixture.hpp"
#include "unit/source/temporary_folder.hpp"

namespace optimux::source {
namespace {

using Place = CredentialSettings::Place;

constexpr const char* kDocument =
    R"({"AccessKeyId":"fetched","SecretAccessKey":"s","Token":"session","Expiration":"2999-01-01T00:00:00Z"})";

/// Where requests get their keys from: the key that a request is signed with tells.
class CredentialProvidersTest : public S3StoreFixture {
 protected:
  /// The access key that a request is signed with, or the outcome when it is not sent.
  std::string key_with(Place place, std::map<std::string, std::string> environment, std::string file = "",
                       std::string profile = "") {
    CredentialSettings credentials{place, std::move(file), std::move(profile), std::move(environment)};
    const auto& store = serve(always(answer("200 OK", "x")), test_settings(), credentials);
    const auto result = get("a");
    if (!result) {
      cause_ = result.error().cause;
      return outcome_of(result);
    }
    token_ = field_of(store.requests().at(0), "x-amz-security-token");
    const std::string value = field_of(store.requests().at(0), "authorization");
    const std::size_t begin = value.find("Credential=") + 11;
    return value.substr(begin, value.find('/', begin) - begin);
  }

  TemporaryFolder folder_;
  std::string token_;
  std::string cause_;
};

TEST_F(CredentialProvidersTest, TheEnvironmentGoesFirst) {
  folder_.write("credentials", "[default]\naws_access_key_id=file\naws_secret_access_key=s\n");
  const std::string file = folder_ / "credentials";
  std::map<std::string, std::string> environment = {{"AWS_ACCESS_KEY_ID", "variable"},
                                                    {"AWS_SECRET_ACCESS_KEY", "s"},
                                                    {"AWS_SESSION_TOKEN", "t"},
                                                    {"AWS_SHARED_CREDENTIALS_FILE", file}};
  EXPECT_EQ(key_with(Place::kAuto, environment), "variable");
  EXPECT_EQ(token_, "t");
  EXPECT_EQ(key_with(Place::kProfile, environment), "file");
  environment.erase("AWS_SECRET_ACCESS_KEY");
  EXPECT_EQ(key_with(Place::kAuto, environment), "file") << "half a pair is none";
}

TEST_F(CredentialProvidersTest, TheFileHasProfiles) {
  folder_.write(".aws/credentials",
                "[default]\naws_access_key_id=a\naws_secret_access_key=s\n"
                "[other]\naws_access_key_id=b\naws_secret_access_key=s\n");
  const std::string home = folder_.path();
  EXPECT_EQ(key_with(Place::kProfile, {{"HOME", home}}), "a");
  EXPECT_EQ(key_with(Place::kProfile, {{"HOME", home}, {"AWS_PROFILE", "other"}}), "b");
  EXPECT_EQ(key_with(Place::kProfile, {{"AWS_PROFILE", "default"}}, folder_ / ".aws/credentials", "other"), "b");
  EXPECT_EQ(key_with(Place::kAuto, {{"HOME", home}, {"AWS_PROFILE", "third"}}), "origin_failed");
  EXPECT_NE(cause_.find("third"), std::string::npos) << cause_;
  EXPECT_EQ(key_with(Place::kProfile, {}, folder_ / "missing"), "origin_failed");
  EXPECT_EQ(key_with(Place::kProfile, {}, folder_.path()), "internal") << "a folder cannot be read";
}

TEST_F(CredentialProvidersTest, AContainersAgentWantsItsToken) {
  folder_.write("token", "from-file\n");
  const auto& agent = add_server(always(answer("200 OK", kDocument)));
  std::map<std::string, std::string> environment = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.url("/keys?a=b")},
                                                    {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "plain"},
                                                    {"AWS_EC2_METADATA_DISABLED", "true"}};
  EXPECT_EQ(key_with(Place::kAuto, environment), "fetched");
  EXPECT_EQ(token_, "session");
  EXPECT_EQ(field_of(agent.requests().back(), "Authorization"), "plain");
  environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = folder_ / "token";
  EXPECT_EQ(key_with(Place::kContainer, environment), "fetched");
  EXPECT_EQ(field_of(agent.requests().back(), "Authorization"), "from-file");
  environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = folder_ / "missing";
  EXPECT_EQ(key_with(Place::kContainer, environment), "origin_failed");
}

TEST_F(CredentialProvidersTest, KeysComeFromNoAddressButAnAgents) {
  EXPECT_EQ(key_with(Place::kContainer, {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://192.0.2.1/"}}),
            "origin_failed");
  EXPECT_NE(cause_.find("FULL_URI"), std::string::npos) << cause_;
  EXPECT_EQ(key_with(Place::kContainer, {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.evil.example/"}}),
            "origin_failed");
  EXPECT_NE(cause_.find("FULL_URI"), std::string::npos) << "refused, and not asked: " << cause_;
  EXPECT_EQ(key_with(Place::kContainer, {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "no URL"}}), "origin_failed");
}

TEST_F(CredentialProvidersTest, AnInstanceIsAskedByVersionTwoAlone) {
  const auto& service = add_server([](OriginConnection& connection, const std::string& request) {
    const std::string path = path_of(request);
    if (path == "/latest/api/token" && request.substr(0, 4) == "PUT ") return connection.send(answer("200 OK", "tok"));
    if (field_of(request, "X-aws-ec2-metadata-token") != "tok") return connection.send(answer("401 No", ""));
    if (path == "/latest/meta-data/iam/security-credentials/") return connection.send(answer("200 OK", "my role\n"));
    if (path == "/latest/meta-data/iam/security-credentials/my%20role") {
      return connection.send(answer("200 OK", kDocument));
    }
    return connection.send(answer("404 Not Found", ""));
  });
  EXPECT_EQ(key_with(Place::kAuto, {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", service.url("/")}}), "fetched") << cause_;
  EXPECT_EQ(token_, "session");
  EXPECT_EQ(field_of(service.requests().at(0), "X-aws-ec2-metadata-token-ttl-seconds"), "21600");
  EXPECT_EQ(service.requests().size(), 3u);
  get("b");
  EXPECT_EQ(service.requests().size(), 3u) << "they are remembered";
}

TEST_F(CredentialProvidersTest, AnInstanceWithoutARoleSaysSo) {
  const auto& service = add_server([](OriginConnection& connection, const std::string& request) {
    return connection.send(request.substr(0, 4) == "PUT " ? answer("200 OK", "tok") : answer("404 Not Found", ""));
  });
  EXPECT_EQ(key_with(Place::kInstance, {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", service.url("")}}), "origin_failed");
  EXPECT_NE(cause_.find("no role"), std::string::npos) << cause_;
  EXPECT_EQ(key_with(Place::kInstance, {{"AWS_EC2_METADATA_DISABLED", "TRUE"}}), "origin_failed");
}

TEST_F(CredentialProvidersTest, AServiceAccountChangesItsTokenForKeys) {
  folder_.write("identity", "web-token\n");
  const auto& sts = add_server(
      always(answer("200 OK",
                    "<R><AccessKeyId>fetched</AccessKeyId><SecretAccessKey>s</SecretAccessKey>"
                    "<SessionToken>session</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></R>")));
  EXPECT_EQ(key_with(Place::kAuto, {{"AWS_ROLE_ARN", "arn:aws:iam::1:role/a b"},
                                    {"AWS_WEB_IDENTITY_TOKEN_FILE", folder_ / "identity"},
                                    {"AWS_ENDPOINT_URL_STS", sts.url("")}}),
            "fetched");
  EXPECT_EQ(path_of(sts.requests().at(0)),
            "/?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa%20b"
            "&RoleSessionName=optimux&WebIdentityToken=web-token");
}

TEST_F(CredentialProvidersTest, ErrorsTellNoSecrets) {
  folder_.write("identity", "web-token");
  const auto& sts = add_server(always(answer("500 Oops", "web-token")));
  EXPECT_EQ(key_with(Place::kWebIdentity, {{"AWS_ROLE_ARN", "arn"},
                                           {"AWS_WEB_IDENTITY_TOKEN_FILE", folder_ / "identity"},
                                           {"AWS_ENDPOINT_URL_STS", sts.url("")}}),
            "origin_failed");
  EXPECT_EQ(cause_.find("web-token"), std::string::npos) << cause_;
}

TEST(CredentialPlaceTest, NamesReadBack) {
  for (const Place place : {Place::kAuto, Place::kEnvironment, Place::kWebIdentity, Place::kProfile, Place::kContainer,
                            Place::kInstance, Place::kNone}) {
    EXPECT_EQ(parse_credential_place(name_of(place)), place);
  }
  EXPECT_FALSE(parse_credential_place("imds"));
}

}  // namespace
}  // namespace optimux::source
