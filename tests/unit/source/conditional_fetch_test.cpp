// What origins are asked of a source that somebody has already, and what is made of their answers.

#include <string>

#include <gtest/gtest.h>

#include "source/http_fetch.hpp"
#include "unit/source/http_source_fixture.hpp"

namespace optimux::source {
namespace {

using std::chrono::seconds;

const auto kThen = std::chrono::system_clock::from_time_t(784111777);

std::string not_modified(std::string_view headers = "") {
  return "HTTP/1.1 304 Not Modified\r\n" + std::string(headers) + "\r\n";
}

std::string redirect(const std::string& location, const std::string& headers = "") {
  return answer("302 Found", "", "Location: " + location + "\r\n" + headers);
}

class ConditionalFetchTest : public HttpSourceFixture {
 protected:
  // An origin that leads from everywhere to `/end`, where it answers `bytes`.
  OriginStub& add_redirecting(std::string bytes, const std::string& headers = "") {
    return add_origin([bytes = std::move(bytes), headers](OriginConnection& connection, const std::string& request) {
      return connection.send(path_of(request) == "/end" ? bytes : redirect("/end", headers));
    });
  }
  static bool asked(const OriginStub& origin, std::size_t request) {
    const std::string head = origin.requests().at(request);
    return has_field(head, "If-None-Match:") || has_field(head, "If-Modified-Since:");
  }
};

TEST_F(ConditionalFetchTest, WhoHasNothingAsksWithoutConditions) {
  const auto& origin = add_origin(always(answer("200 OK", "picture")));
  EXPECT_EQ(text_of(get(origin.url("/"))), "picture");
  EXPECT_FALSE(asked(origin, 0));
}

TEST_F(ConditionalFetchTest, AnUnchangedSourceIsConfirmedWithoutBytes) {
  const auto& origin = add_origin(always(not_modified("Cache-Control: max-age=60\r\n")));
  const auto result = get(origin.url("/"), {.etag = "\"a\"", .last_modified = kThen});
  ASSERT_EQ(outcome_of(result), "ok");
  EXPECT_TRUE(result->not_modified);
  EXPECT_EQ(result->bytes, nullptr);
  EXPECT_EQ(result->facts.validators(), (SourceValidators{"\"a\"", kThen, ""}));
  EXPECT_EQ(result->facts.freshness.lifetime, seconds(60));
  const std::string head = origin.requests().at(0);
  EXPECT_NE(head.find("If-None-Match: \"a\"\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), std::string::npos) << head;
}

TEST_F(ConditionalFetchTest, AChangedSourceComesWithItsBytes) {
  const auto& origin = add_origin(always(answer("200 OK", "picture", "ETag: \"b\"\r\n")));
  const auto result = get(origin.url("/"), {.etag = "\"a\""});
  EXPECT_EQ(text_of(result), "picture");
  EXPECT_FALSE(result->not_modified);
  EXPECT_EQ(result->facts.etag, "\"b\"");
}

TEST_F(ConditionalFetchTest, ALengthInAConfirmationIsNoBody) {
  const auto& origin = add_origin(always(not_modified("Content-Length: 99999999\r\n")));
  for (int i = 0; i < 2; ++i) {
    const auto result = get(origin.url("/"), {.etag = "\"a\""});
    ASSERT_EQ(outcome_of(result), "ok");
    EXPECT_TRUE(result->not_modified);
  }
  EXPECT_EQ(origin.connection_count(), 1) << "the connection is used again";
}

TEST_F(ConditionalFetchTest, AConfirmationThatNobodyAskedForIsAFailure) {
  const auto& origin = add_origin(always(not_modified("ETag: \"a\"\r\n")));
  EXPECT_EQ(outcome_of(get(origin.url("/"))), "origin_failed");
}

TEST_F(ConditionalFetchTest, AConfirmationOfAnotherStateIsNotBelieved) {
  const auto& origin = add_origin([](OriginConnection& connection, const std::string& request) {
    const bool is_conditional = has_field(request, "If-None-Match:");
    return connection.send(is_conditional ? not_modified("ETag: \"b\"\r\n") : answer("200 OK", "picture"));
  });
  const auto result = get(origin.url("/"), {.etag = "\"a\""});
  EXPECT_EQ(text_of(result), "picture");
  EXPECT_EQ(origin.requests().size(), 2u);
}

TEST_F(ConditionalFetchTest, AWeakTagInAConfirmationIsBelieved) {
  const auto& origin = add_origin(always(not_modified("ETag: W/\"a\"\r\n")));
  const auto result = get(origin.url("/"), {.etag = "\"a\""});
  ASSERT_EQ(outcome_of(result), "ok");
  EXPECT_TRUE(result->not_modified);
}

TEST_F(ConditionalFetchTest, FactsNameThePlaceThatRedirectsLedTo) {
  const auto& origin = add_redirecting(answer("200 OK", "picture", "ETag: \"a\"\r\n"));
  const auto result = get(origin.url("/start"));
  ASSERT_EQ(text_of(result), "picture");
  EXPECT_EQ(result->facts.validators(), (SourceValidators{"\"a\"", std::nullopt, origin.url("/end")}));
  EXPECT_EQ(get(origin.url("/end"))->facts.place, "");
}

TEST_F(ConditionalFetchTest, OnlyThePlaceOfTheValidatorsIsAskedWithThem) {
  const auto& origin = add_redirecting(not_modified());
  const auto result = get(origin.url("/start"), {.etag = "\"a\"", .place = origin.url("/end")});
  ASSERT_EQ(outcome_of(result), "ok");
  EXPECT_TRUE(result->not_modified);
  EXPECT_EQ(result->facts.place, origin.url("/end"));
  EXPECT_FALSE(asked(origin, 0));
  EXPECT_TRUE(asked(origin, 1));
}

TEST_F(ConditionalFetchTest, ARedirectToAnotherPlaceDropsTheCondition) {
  const auto& origin = add_redirecting(answer("200 OK", "picture"));
  EXPECT_EQ(text_of(get(origin.url("/start"), {.etag = "\"a\"", .place = origin.url("/old-end")})), "picture");
  EXPECT_FALSE(asked(origin, 0));
  EXPECT_FALSE(asked(origin, 1));
}

TEST_F(ConditionalFetchTest, ASourceThatUsedToBeHereAndIsRedirectedNowIsFetchedAnew) {
  const auto& origin = add_redirecting(answer("200 OK", "picture"));
  EXPECT_EQ(text_of(get(origin.url("/start"), {.etag = "\"a\""})), "picture");
  EXPECT_TRUE(asked(origin, 0));
  EXPECT_FALSE(asked(origin, 1));
}

TEST_F(ConditionalFetchTest, RedirectsLimitHowLongTheirTargetIsUsed) {
  const std::string picture = answer("200 OK", "picture", "Cache-Control: max-age=31536000\r\n");
  const auto& silent = add_redirecting(picture);
  EXPECT_EQ(get(silent.url("/start"))->facts.freshness.lifetime_or(seconds(300)), seconds(300));
  const auto& brief = add_redirecting(picture, "Cache-Control: max-age=10\r\n");
  EXPECT_EQ(get(brief.url("/start"))->facts.freshness.lifetime_or(seconds(300)), seconds(10));
  const auto& secret = add_redirecting(picture, "Cache-Control: no-store\r\n");
  EXPECT_FALSE(get(secret.url("/start"))->facts.freshness.may_be_kept);
}

TEST_F(ConditionalFetchTest, AnErrorIsAnErrorWhateverWasAsked) {
  const auto& gone = add_origin(always(answer("404 Not Found", "")));
  EXPECT_EQ(outcome_of(get(gone.url("/"), {.etag = "\"a\""})), "not_found");
  const auto& part = add_origin(always(answer("206 Partial Content", "pic")));
  EXPECT_EQ(outcome_of(get(part.url("/"), {.etag = "\"a\""})), "origin_failed");
}

}  // namespace
}  // namespace optimux::source
