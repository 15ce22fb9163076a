#include <string>

#include <gtest/gtest.h>

#include "unit/source/http_source_fixture.hpp"
#include "unit/source/scripted_resolver.hpp"
#include "unit/source/temporary_folder.hpp"

namespace optimux::source {
namespace {

class HttpsTest : public HttpSourceFixture {
 protected:
  // From now on the source trusts `identity` and nobody else.
  void trust(const TlsIdentity& identity) {
    folder_.write("ca.pem", identity.certificate());
    auto settings = test_settings();
    settings.ca_file = folder_ / "ca.pem";
    make_source(settings);
  }
  OriginStub& add_https_origin(OriginStub::Handler handler) {
    return add_origin(std::move(handler), "127.0.0.1", &identity_);
  }

  TemporaryFolder folder_;
  const TlsIdentity identity_{"IP:127.0.0.1"};
};

TEST_F(HttpsTest, FetchesFromAnOriginThatItTrusts) {
  trust(identity_);
  const auto& origin = add_https_origin(always(answer("200 OK", "picture")));
  for (int i = 0; i < 3; ++i) {
    const auto result = get(origin.url("/"));
    ASSERT_EQ(outcome_of(result), "ok") << result.error().cause;
    EXPECT_EQ(text_of(result), "picture");
  }
  EXPECT_EQ(origin.connection_count(), 1);
}

TEST_F(HttpsTest, SendsNothingToAnOriginThatItDoesNotTrust) {
  const auto& origin = add_https_origin(always(answer("200 OK", "picture")));
  EXPECT_EQ(outcome_of(get(origin.url("/"))), "origin_failed");
  trust(TlsIdentity("IP:127.0.0.1"));
  EXPECT_EQ(outcome_of(get(origin.url("/"))), "origin_failed");
  EXPECT_TRUE(origin.requests().empty());
}

TEST_F(HttpsTest, SendsNothingToAnOriginOfAnotherName) {
  ScriptedResolver resolver;
  resolver.set("example.com", {"127.0.0.1"});
  trust(identity_);
  const auto& origin = add_https_origin(always(answer("200 OK", "picture")));
  EXPECT_EQ(outcome_of(get(origin.url("/", "example.com"))), "origin_failed");
  EXPECT_TRUE(origin.requests().empty());
}

TEST_F(HttpsTest, TheAddressPolicyHoldsForHttpsToo) {
  const TlsIdentity identity("IP:127.0.0.2");
  trust(identity);
  const auto& origin = add_origin(always(answer("200 OK", "x")), "127.0.0.2", &identity);
  EXPECT_EQ(outcome_of(get(origin.url("/"))), "forbidden_source");
  EXPECT_EQ(origin.connection_count(), 0);
}

TEST_F(HttpsTest, AMissingAuthorityFileIsOurFault) {
  auto settings = test_settings();
  settings.ca_file = folder_ / "missing.pem";
  make_source(settings);
  EXPECT_EQ(outcome_of(get(add_https_origin(always(answer("200 OK", "x"))).url("/"))), "internal");
}

}  // namespace
}  // namespace optimux::source
