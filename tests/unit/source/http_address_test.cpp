#include <chrono>
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/source/http_source_fixture.hpp"
#include "unit/source/scripted_resolver.hpp"

namespace optimux::source {
namespace {

// The address policy where it matters: at the moment of connecting, with names that resolve as the test says.
class HttpAddressTest : public HttpSourceFixture {
 protected:
  void allow(const std::vector<std::string>& allowances) {
    auto settings = test_settings();
    settings.policy = AddressPolicy::make(allowances).value();
    make_source(settings);
  }
  void expect_refused(const std::string& url) {
    const auto result = get(url);
    ASSERT_EQ(outcome_of(result), "forbidden_source") << url;
    EXPECT_EQ(result.error().detail, "this source is not allowed") << url;
    EXPECT_NE(result.error().cause, "") << url;
  }

  ScriptedResolver resolver_;
};

TEST_F(HttpAddressTest, RefusesPrivateAddressesByDefaultInEveryNotation) {
  allow({});
  const auto& canary = add_canary("127.0.0.1");
  for (const char* host : {"127.0.0.1",
                           "2130706433",
                           "0x7f000001",
                           "0x7f.1",
                           "0177.0.0.1",
                           "017700000001",
                           "127.1",
                           "0.0.0.0",
                           "0",
                           "::",
                           "::1",
                           "::ffff:127.0.0.1",
                           "::ffff:7f00:1",
                           "::127.0.0.1",
                           "localhost",
                           "x.localhost",
                           "64:ff9b::7f00:1",
                           "2002:7f00:1::1",
                           "169.254.169.254",
                           "10.0.0.1",
                           "100.100.100.200"}) {
    expect_refused(canary.url("/", host));
  }
}

TEST_F(HttpAddressTest, AllowsOnlyWhatTheListAllows) {
  allow({"127.0.0.1"});
  expect_refused(add_canary("127.0.0.2").url("/"));
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  EXPECT_EQ(outcome_of(get(origin.url("/"))), "ok");
  expect_refused(origin.url("/", "0.0.0.0"));  // Another name for the same machine.
  EXPECT_EQ(origin.connection_count(), 1);
}

TEST_F(HttpAddressTest, JudgesNamesByWhatTheyResolveTo) {
  const auto& canary = add_canary("127.0.0.2");
  resolver_.set("public.example", {"127.0.0.2"});
  expect_refused(canary.url("/", "public.example"));
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  resolver_.set("allowed.example", {"127.0.0.1"});
  EXPECT_EQ(outcome_of(get(origin.url("/", "allowed.example"))), "ok");
}

TEST_F(HttpAddressTest, JudgesEachConnectionAnew) {
  int lookups = 0;
  resolver_.set("rebinding.example",
                [&lookups] { return std::vector<std::string>{++lookups == 1 ? "127.0.0.1" : "127.0.0.2"}; });
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  EXPECT_EQ(outcome_of(get(origin.url("/", "rebinding.example"))), "ok");
  make_source(test_settings());  // Forgets the connection and what the name was.
  expect_refused(add_canary("127.0.0.2").url("/", "rebinding.example"));
  EXPECT_EQ(resolver_.count("rebinding.example"), 2);
}

TEST_F(HttpAddressTest, ANameThatDoesNotResolveIsRefusedLikeOneThatMayNotBeAsked) {
  allow({"media.internal"});
  expect_refused("http://nowhere.example/");
  const auto& origin = add_origin(always(answer("302 Found", "", "Location: http://nowhere.internal/\r\n")));
  resolver_.set("media.internal", {"127.0.0.1"});
  expect_refused(origin.url("/", "media.internal"));
}

TEST_F(HttpAddressTest, ANameThatIsAllowedMayBeToldNotToResolve) {
  allow({"media.internal"});
  EXPECT_EQ(outcome_of(get("http://media.internal/")), "origin_failed");
}

TEST_F(HttpAddressTest, JudgesTheTargetsOfRedirectsByWhatTheyResolveTo) {
  resolver_.set("inside.example", {"127.0.0.2"});
  const auto& canary = add_canary("127.0.0.2");
  const auto& origin =
      add_origin(always(answer("302 Found", "", "Location: " + canary.url("/", "inside.example") + "\r\n")));
  expect_refused(origin.url("/"));
}

TEST_F(HttpAddressTest, TakesTheAllowedOneOfSeveralAddresses) {
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  resolver_.set("several.example", {"127.0.0.2", "10.0.0.1", "127.0.0.1"});
  EXPECT_EQ(outcome_of(get(origin.url("/", "several.example"))), "ok");
}

// The time that connecting may take is a minute here, and libcurl by itself would wait for half of it.
TEST_F(HttpAddressTest, GoesOnToTheNextAddressAtOnce) {
  const int free_port = OriginStub(always(""), "127.0.0.1").port();
  resolver_.set("failing.example", {"127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"});
  allow({"127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome_of(get("http://failing.example:" + std::to_string(free_port) + "/")), "origin_failed");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST_F(HttpAddressTest, ANameInTheListAllowsItselfAlone) {
  allow({"media.internal"});
  resolver_.set("media.internal", {"127.0.0.1"});
  resolver_.set("other.internal", {"127.0.0.1"});
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  EXPECT_EQ(outcome_of(get(origin.url("/", "media.internal"))), "ok");
  EXPECT_EQ(outcome_of(get(origin.url("/", "MEDIA.internal"))), "ok");
  // The connection to the same address and port is there, but it is not theirs.
  expect_refused(origin.url("/", "other.internal"));
  expect_refused(origin.url("/", "127.0.0.1"));
  EXPECT_EQ(origin.connection_count(), 1);
}

TEST_F(HttpAddressTest, ARedirectLeavesTheAllowanceOfTheNameBehind) {
  allow({"media.internal"});
  resolver_.set("media.internal", {"127.0.0.1"});
  const auto& canary = add_canary("127.0.0.1");
  const auto& origin = add_origin(always(answer("302 Found", "", "Location: " + canary.url("/") + "\r\n")));
  expect_refused(origin.url("/", "media.internal"));
}

TEST_F(HttpAddressTest, FetchesFromIpv6WhereItIsAllowed) {
  OriginStub* origin = nullptr;
  try {
    origin = &add_origin(always(answer("200 OK", "x")), "::1");
  } catch (const std::exception& error) {
    GTEST_SKIP() << "no IPv6 here: " << error.what();
  }
  allow({"::1"});
  EXPECT_EQ(outcome_of(get(origin->url("/"))), "ok");
  EXPECT_EQ(outcome_of(get(origin->url("/", "0:0:0:0:0:0:0:1"))), "ok");
}

TEST_F(HttpAddressTest, ASlowResolverHoldsUpNobodyAndIsNotWaitedFor) {
  std::promise<void> asked;
  std::promise<void> released;
  resolver_.set("slow.example", [&, gate = released.get_future().share()] {
    asked.set_value();
    gate.wait();
    return std::vector<std::string>();
  });
  std::stop_source stop;
  auto slow = start("http://slow.example/", {}, stop.get_token());
  asked.get_future().wait();
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  EXPECT_EQ(outcome_of(get(origin.url("/"))), "ok");
  stop.request_stop();
  EXPECT_EQ(outcome_of(slow.get()), "cancelled");
  drop_source();  // Returns although the resolver's thread still waits.
  released.set_value();
}

TEST_F(HttpAddressTest, AResolverThatStallsIsATimeout) {
  std::promise<void> released;
  resolver_.set("stalling.example", [gate = released.get_future().share()] {
    gate.wait();
    return std::vector<std::string>();
  });
  auto settings = test_settings();
  settings.connect_timeout = std::chrono::milliseconds(20);
  make_source(settings);
  const auto result = get("http://stalling.example/");
  EXPECT_EQ(outcome_of(result), "origin_timeout");
  EXPECT_EQ(result.error().detail, "the origin did not take a connection within fetch_connect_timeout (20ms)");
  released.set_value();
}

}  // namespace
}  // namespace optimux::source
