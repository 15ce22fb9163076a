#include "server/known_calls.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "server/prepared_call.hpp"
#include "server/router.hpp"
#include "service/url_signer.hpp"
#include "source/via.hpp"
#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

using std::chrono::seconds;

/// A table, and calls that come to it.
class KnownCallsTest : public testing::Test {
 protected:
  KnownCallsTest() {
    context_.settings = std::make_shared<const ServerSettings>();
    context_.protection = std::make_shared<const Protection>();
    prepared_.spec.source = source::make_file_locator("a").value();
    prepared_.spec.render.sizes = {{8, 0}, {9, 0}};
  }

  void ask(std::string target, std::string_view accept = "") {
    request_ = {};
    request_.target = std::move(target);
    if (!accept.empty()) request_.headers.add("Accept", accept);
  }
  void keep() { calls_.keep(call(), prepared_); }
  std::optional<KnownCalls::Found> find() { return calls_.find(call()); }
  RouteCall call() const { return {request_, context_, request_.target, "", ""}; }

  KnownCalls calls_;
  http::Request request_;
  RequestContext context_;
  PreparedCall prepared_;
};

TEST_F(KnownCallsTest, OnlyTheSameTargetIsKnown) {
  ask("/optimux/assets/a?sizes=8");
  EXPECT_FALSE(find());
  keep();
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->call->keys,
            (std::vector{service::rendition_key(prepared_.spec, 0), service::rendition_key(prepared_.spec, 1)}));
  for (const char* other : {"/optimux/assets/a?sizes=9", "/optimux/assets/a?sizes=8&", "/optimux/assets/%61?sizes=8"}) {
    ask(other);
    EXPECT_FALSE(find()) << other;
  }
}

TEST_F(KnownCallsTest, AcceptCountsWhereTheFormatDependsOnIt) {
  ask("/a", "image/webp");
  keep();
  ask("/a", "image/avif");
  EXPECT_TRUE(find());
  prepared_.extras.varies_by_accept = true;
  ask("/b", "image/webp");
  keep();
  EXPECT_TRUE(find());
  for (const char* other : {"", "image/avif", "image/webp, */*"}) {
    ask("/b", other);
    EXPECT_FALSE(find()) << other;
  }
}

TEST_F(KnownCallsTest, OtherSettingsOrProtectionMakeAllUnknown) {
  for (const bool is_settings : {true, false}) {
    ask("/a");
    keep();
    ASSERT_TRUE(find());
    const RequestContext before = context_;
    if (is_settings) {
      context_.settings = std::make_shared<const ServerSettings>(*context_.settings);
    } else {
      context_.protection = std::make_shared<const Protection>(*context_.protection);
    }
    EXPECT_FALSE(find());
    context_ = before;
    EXPECT_FALSE(find());
  }
}

TEST_F(KnownCallsTest, TheTimeOfAUrlIsLookedAtEachTime) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  prepared_.extras.time_left = seconds(1000);
  prepared_.expires = std::to_string(std::chrono::duration_cast<seconds>(now).count() + 100);
  ask("/a");
  keep();
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_LE(*found->extras.time_left, seconds(100));
  prepared_.expires = "1000000000";
  ask("/b");
  keep();
  EXPECT_FALSE(find());
}

TEST_F(KnownCallsTest, WhatMayBeALoopOrIsLongIsNeverKnown) {
  ask("/a");
  keep();
  request_.headers.add("Via", "1.1 cache");
  EXPECT_FALSE(find());
  ask("/b");
  request_.headers.add("Via", "1.1 cache");
  keep();
  ask("/b");
  EXPECT_FALSE(find());
  ask("/" + std::string(KnownCalls::kMostTargetBytes, 'a'));
  keep();
  EXPECT_FALSE(find());
}

TEST_F(KnownCallsTest, TheLeastUsedMakeRoom) {
  std::size_t known = 0;
  const auto target = [](std::size_t number) { return "/optimux/assets/" + std::to_string(number); };
  for (std::size_t i = 0; i < 4 * KnownCalls::kPlaces; ++i) {
    ask(target(0));
    ASSERT_TRUE(i == 0 || find()) << i;
    ask(target(i));
    keep();
    ASSERT_TRUE(find());
  }
  for (std::size_t i = 0; i < 4 * KnownCalls::kPlaces; ++i) {
    ask(target(i));
    if (find()) ++known;
  }
  EXPECT_LE(known, KnownCalls::kPlaces);
  EXPECT_GT(known, KnownCalls::kPlaces / 2);
}

/// A server whose backend keeps what it has made, and says that all of it was found in memory.
std::unique_ptr<RunningServer> running_with(const ServerSettings& settings = test_settings()) {
  auto running = std::make_unique<RunningServer>(settings);
  running->backend().set_outcome(service::CacheOutcome::kHit);
  running->backend().keep_finished();
  return running;
}

std::string text_of(const ClientResponse& response) {
  std::string text = std::to_string(response.status) + '\n';
  for (const auto& field : response.headers) {
    if (field.name == "X-Request-Id" || field.name == "Date") continue;
    text.append(field.name).append(": ").append(field.value).append("\n");
  }
  return text + response.body;
}

TEST(KnownCalls, AreAnsweredAsTheFirstTime) {
  const auto running = running_with();
  HttpClient client(running->url());
  for (const std::string target :
       {"/optimux/assets/a?sizes=9", "/optimux/assets/a?sizes=9,8,7&download=b.jpg", "/resize?image_url=http://h/a",
        "/optimux/static/a?format=auto", "/optimux/assets/a?sizes=9,8&encoder=json", "/optimux/assets/a?sizes=1"}) {
    const int before = running->backend().found_again();
    const int opened = running->backend().opened();
    const auto first = client.get(target, "Accept: image/webp\r\n");
    EXPECT_EQ(first.status, 200) << target;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(text_of(client.get(target, "Accept: image/webp\r\n")), text_of(first)) << target;
    }
    EXPECT_GT(running->backend().found_again(), before) << target;
    EXPECT_EQ(running->backend().opened(), opened + 1) << target;
  }
}

TEST(KnownCalls, AreNotWhatWasNotFoundInMemory) {
  const auto running = running_with();
  HttpClient client(running->url());
  for (const auto outcome : {service::CacheOutcome::kMiss, service::CacheOutcome::kStale}) {
    running->backend().set_outcome(outcome);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(client.get("/optimux/assets/a").status, 200);
  }
  EXPECT_EQ(running->backend().opened(), 4);
  EXPECT_EQ(running->backend().found_again(), 0);
}

TEST(KnownCalls, AreRefusedOnceTheyAreNotAllowed) {
  ServerSettings settings = test_settings();
  const auto running = running_with(settings);
  HttpClient client(running->url());
  const std::string target = "/resize?image_url=http://h/a&sizes=9";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.get(target).status, 200);
  EXPECT_EQ(running->backend().found_again(), 1);
  const auto status_with = [&](const ServerSettings& changed) {
    running->in_loop([&] { EXPECT_TRUE(running->server().set_settings(changed)); });
    return client.get(target).status;
  };
  ServerSettings other = settings;
  other.allowed_source_hosts = {"other"};
  EXPECT_EQ(status_with(other), 403);
  other = settings;
  other.signing_keys = {std::string(64, 'a')};
  EXPECT_EQ(status_with(other), 403);
  other = settings;
  other.presets_only = true;
  EXPECT_EQ(status_with(other), 400);
  EXPECT_EQ(status_with(settings), 200);
  EXPECT_EQ(client.get(target, "Via: 1.1 " + source::via_pseudonym() + "\r\n").status, 502);
}

TEST(KnownCalls, AWrongSignatureIsRefusedBesideTheRightOne) {
  ServerSettings settings = test_settings();
  settings.signing_keys = {std::string(64, 'a')};
  const auto running = running_with(settings);
  HttpClient client(running->url());
  const std::string target = "/optimux/assets/a?sizes=9";
  const std::string right = service::UrlSigner::make(settings.signing_keys).value().sign(target).value();
  std::string wrong = right;
  wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.get(right).status, 200);
    EXPECT_EQ(client.get(wrong).status, 403);
    EXPECT_EQ(client.get(target).status, 403);
  }
  EXPECT_EQ(running->backend().found_again(), 1);
}

}  // namespace
}  // namespace optimux::server
