#include "server/url_signature.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

const std::string kKey(64, 'a');
const std::string kOtherKey(64, 'b');

ServerSettings with_keys(const std::vector<std::string>& keys) {
  ServerSettings settings = test_settings();
  settings.signing_keys = keys;
  return settings;
}

std::string sign(const std::string& target, const std::string& key = kKey) {
  return service::UrlSigner::make({key}).value().sign(target).value();
}

std::string expiring(const std::string& target, seconds from_now) {
  const auto end = std::chrono::duration_cast<seconds>(system_clock::now().time_since_epoch()) + from_now;
  return sign(target + (target.find('?') == std::string::npos ? '?' : '&') + "expires=" + std::to_string(end.count()));
}

/// The body of a problem without what is different in each.
std::string words_of(const ClientResponse& response) {
  return response.body.substr(0, response.body.find(",\"request_id\""));
}

TEST(UrlSignature, WhatRendersHasToBeSignedAndNothingElse) {
  RunningServer running(with_keys({kKey}));
  HttpClient client(running.url());
  for (const std::string target : {"/resize?image_url=http://h/a", "/optimux/assets/a?sizes=9", "/optimux/static/a",
                                   "/info?image_url=http://h/a", "/optimux/info/a"}) {
    EXPECT_EQ(client.get(target).status, 403) << target;
    EXPECT_EQ(client.get(sign(target)).status, 200) << target;
  }
  const int opened = running.backend().opened();
  EXPECT_EQ(opened, 5);
  for (const std::string target : {"/health", "/ready", "/optimux/ping", "/optimux/docs", "/openapi.json", "/"}) {
    EXPECT_EQ(client.get(target).status, 200) << target;
  }
  EXPECT_EQ(client.get("/nothing").status, 404);
}

TEST(UrlSignature, OneTextForMissingWrongAndExpired) {
  RunningServer running(with_keys({kKey}));
  HttpClient client(running.url());
  const std::string target = "/optimux/assets/a?sizes=9";
  const auto missing = client.get(target);
  for (const std::string& other :
       {target + "&sig=AAAA", sign(target, kOtherKey), sign(target) + "&quality=9", sign(target) + "x",
        expiring(target, seconds(-100)), std::string("/optimux/assets/a?quality=0"), std::string("/resize?nonsense")}) {
    const auto response = client.get(other);
    EXPECT_EQ(response.status, 403) << other;
    EXPECT_EQ(words_of(response), words_of(missing)) << other;
    EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  }
  EXPECT_EQ(running.backend().opened(), 0);
  EXPECT_NE(running.log().wait_for("ago").find("expired"), std::string::npos);
}

TEST(UrlSignature, TheSignatureIsNoPartOfTheRendition) {
  RunningServer running(with_keys({kKey, kOtherKey}));
  HttpClient client(running.url());
  std::vector<std::string> keys;
  for (const std::string& target : {sign("/optimux/assets/a?sizes=9"), sign("/optimux/assets/a?sizes=9", kOtherKey),
                                    expiring("/optimux/assets/a?sizes=9", seconds(100))}) {
    EXPECT_EQ(client.get(target).status, 200) << target;
    keys.push_back(service::rendition_key(running.backend().last_spec(), 0));
  }
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(keys[0], keys[2]);
}

TEST(UrlSignature, NoCacheKeepsTheAnswerForLongerThanTheUrlHolds) {
  ServerSettings settings = with_keys({kKey});
  RunningServer running(settings);
  HttpClient client(running.url());
  const auto age_of = [&](const std::string& target) {
    const std::string control(client.get(target).headers.find("Cache-Control").value_or(""));
    EXPECT_TRUE(control.starts_with("public, max-age=")) << control;
    return std::stol(control.substr(control.find('=') + 1));
  };
  EXPECT_EQ(age_of(sign("/optimux/assets/a")), 86'400);
  EXPECT_EQ(age_of(expiring("/optimux/assets/a", seconds(1'000'000))), 86'400);
  const long left = age_of(expiring("/optimux/assets/a", seconds(1'000)));
  EXPECT_LE(left, 1'000);
  EXPECT_GE(left, 900);
  EXPECT_LE(age_of(expiring("/optimux/info/a", seconds(1'000))), 1'000);
  EXPECT_EQ(age_of(expiring("/optimux/assets/a", seconds(-10))), 0);  // Within the skew of the clocks.
}

TEST(UrlSignature, AnEndThatCannotBeReadIsNamed) {
  RunningServer running(with_keys({kKey}));
  HttpClient client(running.url());
  for (const std::string value : {"", "tomorrow", "-1", "1e9", "99999999999999999999"}) {
    const auto response = client.get(sign("/optimux/assets/a?expires=" + value));
    EXPECT_EQ(response.status, 400) << value;
    EXPECT_NE(response.body.find("expires"), std::string::npos);
  }
  EXPECT_EQ(client.get(sign("/optimux/assets/a?expires=9999999999&expires=9999999999")).status, 400);
  EXPECT_EQ(client.get(sign("/optimux/assets/a?%65xpires=1")).status, 403);
}

TEST(UrlSignature, LinksToOtherSizesAreSignedForTheSameTime) {
  RunningServer running(with_keys({kKey, kOtherKey}));
  HttpClient client(running.url());
  const auto response = client.get(sign("/optimux/assets/a%20b?sizes=300x0,600x0&expires=9999999999", kOtherKey));
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.joined("Link"),
            "<" + sign("/optimux/assets/a%20b?expires=9999999999&sizes=600x0") + ">; rel=preload; as=image");
  EXPECT_EQ(client.get(sign("/optimux/assets/a%20b?expires=9999999999&sizes=600x0")).status, 200);
}

TEST(UrlSignature, PreloadNamesWhatIsSignedAndSignsNothing) {
  RunningServer running(with_keys({kKey}));
  HttpClient client(running.url());
  const auto post = [&](const std::string& url) {
    const std::string body = R"([{"url":")" + url + R"("}])";
    client.request("POST", "/optimux/preload", "Content-Length: " + std::to_string(body.size()) + "\r\n");
    client.send(body);
    return client.read_response();
  };
  EXPECT_EQ(post("/optimux/assets/a?sizes=9").status, 403);
  EXPECT_EQ(post("/optimux/assets/a?sizes=9&sig=AAAA").status, 403);
  EXPECT_FALSE(post("/resize?image_url=http://h/a").headers.has("Link"));
  const std::string target = sign("/optimux/assets/a%20b?sizes=9");
  EXPECT_EQ(post(target).headers.joined("Link"), "<" + target + ">; rel=preload; as=image");
  EXPECT_EQ(post("/logo.png").status, 204);  // Of somebody else, behind the same name.
}

TEST(UrlSignature, WithoutKeysSignaturesSayNothing) {
  RunningServer running;
  HttpClient client(running.url());
  EXPECT_EQ(client.get("/optimux/assets/a?sizes=9&expires=1&sig=AAAA").status, 200);
  EXPECT_EQ(running.backend().last_spec().render.sizes[0].width, 9);
  EXPECT_EQ(client.get("/optimux/assets/a?sig=AAAA").headers.find("Cache-Control"), "public, max-age=86400");
  EXPECT_EQ(client.get("/optimux/assets/a?sig=AAAA&sizes=9").status, 400);  // Its place is the end.
}

TEST(UrlSignature, KeysAreTakenOverWhileRunning) {
  RunningServer running(with_keys({kKey}));
  HttpClient client(running.url());
  EXPECT_EQ(client.get(sign("/optimux/assets/a", kOtherKey)).status, 403);
  running.in_loop([&] { EXPECT_TRUE(running.server().set_settings(with_keys({kOtherKey}))); });
  EXPECT_EQ(client.get(sign("/optimux/assets/a", kOtherKey)).status, 200);
  EXPECT_EQ(client.get(sign("/optimux/assets/a")).status, 403);
  running.in_loop([&] {
    const auto refused = running.server().set_settings(with_keys({"@/no/such/file"}));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().detail.starts_with("signing_keys: ")) << refused.error().detail;
  });
  EXPECT_EQ(client.get(sign("/optimux/assets/a", kOtherKey)).status, 200);
}

TEST(UrlSignature, AWrongKeyEndsTheStart) {
  EventLoop loop;
  FakeBackend backend;
  RecordingLog log;
  auto server = Server::make(loop, with_keys({"abc"}), backend, log);
  ASSERT_TRUE(server);
  const auto started = (*server)->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().detail.find("abc"), std::string::npos) << started.error().detail;
}

TEST(UrlSignature, TimeLeftToleratesClocksThatAreNotTheSame) {
  const auto now = system_clock::time_point(seconds(1'000'000));
  EXPECT_EQ(time_left("1000100", now), seconds(100));
  EXPECT_EQ(time_left("1000000", now), seconds(0));
  EXPECT_EQ(time_left("999940", now), seconds(0));
  EXPECT_EQ(time_left("999939", now).error().code, base::ErrorCode::kForbiddenSource);
  EXPECT_EQ(time_left("0", now).error().code, base::ErrorCode::kForbiddenSource);
  EXPECT_EQ(time_left("x", now).error().code, base::ErrorCode::kInvalidParameter);
}

}  // namespace
}  // namespace optimux::server
