#include "source/s3_store.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "unit/source/other_media.hpp"
#include "unit/source/s3_store_fixture.hpp"

namespace optimux::source {
namespace {

using Action = ObjectRequest::Action;

class S3StoreTest : public S3StoreFixture {
 protected:
  static std::shared_ptr<const base::ByteBuffer> bytes(std::string_view text) {
    return std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(text)));
  }
};

TEST_F(S3StoreTest, GetsAnObjectWithWhatBelongsToIt) {
  const auto& server = serve(always(answer("200 OK", "picture",
                                           "ETag: \"tag\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                           "Cache-Control: max-age=5\r\nContent-Type: image/png\r\n"
                                           "X-Amz-Meta-Made-By: me\r\n")));
  const auto result = get("a b.jpg");
  EXPECT_EQ(text_of(result), "picture");
  EXPECT_EQ(result->size, 7u);
  EXPECT_EQ(result->facts.source.etag, "\"tag\"");
  EXPECT_EQ(result->facts.source.cache_control, "max-age=5");
  EXPECT_EQ(result->facts.source.last_modified, std::chrono::system_clock::from_time_t(784'111'777));
  EXPECT_EQ(result->facts.content_type, "image/png");
  EXPECT_EQ(result->facts.metadata, (std::map<std::string, std::string>{{"made-by", "me"}}));
  EXPECT_EQ(path_of(server.requests().at(0)), "/bucket/a%20b.jpg");
}

TEST_F(S3StoreTest, SendsThePathAsItIsSigned) {
  const auto& server = serve(always(answer("200 OK", "x")));
  for (const auto& [key, path] :
       {std::pair("3js%205-x.jpg", "/bucket/3js%25205-x.jpg"), std::pair("a/../b/./c//d", "/bucket/a/../b/./c//d"),
        std::pair("/x+y#z?", "/bucket//x%2By%23z%3F")}) {
    EXPECT_EQ(outcome_of(get(key)), "ok");
    EXPECT_EQ(path_of(server.requests().back()), path);
  }
}

TEST_F(S3StoreTest, SendsTheHostThatIsSigned) {
  const auto& server = serve(always(answer("200 OK", "x")));
  get("a");
  EXPECT_EQ("http://" + field_of(server.requests().at(0), "Host"), server.url(""));
  EXPECT_NE(field_of(server.requests().at(0), "authorization").find("Credential=access/"), std::string::npos);
  EXPECT_EQ(server.requests().at(0).find("top-secret"), std::string::npos);
}

TEST_F(S3StoreTest, GetsARange) {
  const auto& server = serve(always(answer("206 Partial Content", "ctu", "Content-Range: bytes 2-4/7\r\n")));
  EXPECT_EQ(text_of(run({.name = {"bucket", "a"}, .range = ByteRange{2, 3}})), "ctu");
  EXPECT_EQ(field_of(server.requests().at(0), "Range"), "bytes=2-4");
}

TEST_F(S3StoreTest, APartTellsTheSizeOfTheWhole) {
  serve(always(answer("206 Partial Content", "ctu", "Content-Range: bytes 2-4/7000\r\n")));
  EXPECT_EQ(run({.name = {"bucket", "a"}, .range = ByteRange{2, 3}})->size, 7000u);
}

TEST_F(S3StoreTest, APartOfMoreThanWasAskedForIsAFailure) {
  serve(always(answer("206 Partial Content", "cture", "Content-Range: bytes 2-6/7\r\n")));
  EXPECT_EQ(outcome_of(run({.name = {"bucket", "a"}, .range = ByteRange{2, 3}})), "origin_failed");
}

TEST_F(S3StoreTest, AnObjectMustBeInTheStateThatIsRequired) {
  const auto& server = serve(always(refusal("412 Precondition Failed", "PreconditionFailed")));
  ObjectRequest request{.name = {"bucket", "a"}, .range = ByteRange{2, 3}};
  request.required_etag = "\"tag\"";
  const auto result = run(request);
  EXPECT_EQ(outcome_of(result), "origin_failed");
  EXPECT_EQ(result.error().detail, "the source has changed while it was read");
  EXPECT_EQ(field_of(server.requests().at(0), "If-Match"), "\"tag\"");
}

TEST_F(S3StoreTest, AVideoEndsTheFetchAndIsNoFailureOfTheStore) {
  serve([](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n" + video_of(64));
    connection.stall();
    return false;
  });
  ObjectRequest request{.name = {"bucket", "a"}};
  request.is_other = &begins_as_video;
  EXPECT_EQ(outcome_of(run(request)), "video_source");
  EXPECT_EQ(store().figures().failures, 0u);
}

TEST_F(S3StoreTest, AWholeObjectIsNoAnswerToARange) {
  serve(always(answer("200 OK", "picture")));
  EXPECT_EQ(outcome_of(run({.name = {"bucket", "a"}, .range = ByteRange{2, 3}})), "origin_failed");
}

TEST_F(S3StoreTest, APartIsNoAnswerToAWholeObject) {
  serve(always(answer("206 Partial Content", "ctu")));
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
}

TEST_F(S3StoreTest, TellsThatAnObjectIsUnchanged) {
  const auto& server = serve(always("HTTP/1.1 304 Not Modified\r\nETag: \"tag\"\r\n\r\n"));
  const auto result = run({.name = {"bucket", "a"}, .validators = {.etag = "\"tag\""}});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->not_modified);
  EXPECT_FALSE(result->bytes);
  EXPECT_EQ(field_of(server.requests().at(0), "If-None-Match"), "\"tag\"");
  EXPECT_EQ(outcome_of(get("a")), "origin_failed") << "nobody asked for that";
}

TEST_F(S3StoreTest, LooksAtTheHeadAlone) {
  const auto& server = serve(always("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\nx-amz-meta-a: b\r\n\r\n"));
  const auto result = run({.action = Action::kHead, .name = {"bucket", "a"}});
  ASSERT_TRUE(result) << result.error().cause;
  EXPECT_EQ(result->size, 999'999'999'999u);
  EXPECT_EQ(result->facts.metadata.at("a"), "b");
  EXPECT_EQ(server.requests().at(0).substr(0, 5), "HEAD ");
}

TEST_F(S3StoreTest, PutsAnObjectWithWhatBelongsToIt) {
  const std::string content(100'000, 'x');
  std::string received;
  const auto& server = serve([&](OriginConnection& connection, const std::string& request) {
    received = connection.read_body(std::stoul(field_of(request, "Content-Length")));
    return connection.send(answer("200 OK", ""));
  });
  const auto result = run({.action = Action::kPut,
                           .name = {"bucket", "a"},
                           .body = bytes(content),
                           .content_type = "image/webp",
                           .cache_control = "max-age=5",
                           .metadata = {{"made-by", "me"}},
                           .tags = {{"state", "done"}}});
  ASSERT_TRUE(result) << result.error().cause;
  EXPECT_EQ(received, content);
  const std::string request = server.requests().at(0);
  EXPECT_EQ(request.substr(0, 4), "PUT ");
  EXPECT_EQ(field_of(request, "content-type"), "image/webp");
  EXPECT_EQ(field_of(request, "Cache-Control"), "max-age=5");
  EXPECT_EQ(field_of(request, "x-amz-meta-made-by"), "me");
  EXPECT_EQ(field_of(request, "x-amz-tagging"), "state=done");
  EXPECT_EQ(field_of(request, "x-amz-content-sha256"), base::hex(base::sha256(content)));
  EXPECT_EQ(field_of(request, "Expect"), "");
}

TEST_F(S3StoreTest, PutsAnEmptyObject) {
  const auto& server = serve(always(answer("200 OK", "")));
  EXPECT_EQ(outcome_of(run({.action = Action::kPut, .name = {"bucket", "a"}})), "ok");
  EXPECT_EQ(field_of(server.requests().at(0), "Content-Length"), "0");
  EXPECT_FALSE(has_field(server.requests().at(0), "Content-Type:"));
}

TEST_F(S3StoreTest, DeletesAnObject) {
  const auto& server = serve(always("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_EQ(outcome_of(run({.action = Action::kDelete, .name = {"bucket", "a"}})), "ok");
  EXPECT_EQ(server.requests().at(0).substr(0, 7), "DELETE ");
}

TEST_F(S3StoreTest, ListsKeysPageByPage) {
  const auto& server = serve([](OriginConnection& connection, const std::string& request) {
    const bool is_first = path_of(request).find("continuation-token") == std::string::npos;
    return connection.send(answer("200 OK", is_first ? "<R><IsTruncated>true</IsTruncated><Contents><Key>a/1</Key>"
                                                       "</Contents><Contents><Key>a/&amp;</Key></Contents>"
                                                       "<NextContinuationToken>next</NextContinuationToken></R>"
                                                     : "<R><IsTruncated>false</IsTruncated></R>"));
  });
  const auto page = run({.action = Action::kList, .name = {"bucket", "a/"}});
  ASSERT_TRUE(page) << page.error().cause;
  EXPECT_EQ(page->keys, std::vector<std::string>({"a/1", "a/&"}));
  EXPECT_EQ(page->continuation, "next");
  EXPECT_EQ(path_of(server.requests().at(0)), "/bucket?list-type=2&prefix=a%2F");
  const auto end = run({.action = Action::kList, .name = {"bucket", "a/"}, .continuation = page->continuation});
  ASSERT_TRUE(end) << end.error().cause;
  EXPECT_TRUE(end->keys.empty() && end->continuation.empty());
}

TEST_F(S3StoreTest, WhatIsGoneNeedNoDeletion) {
  serve(always(refusal("404 Not Found", "NoSuchKey")));
  EXPECT_EQ(outcome_of(run({.action = Action::kDelete, .name = {"bucket", "a"}})), "ok");
  serve(always(refusal("404 Not Found", "NoSuchBucket")));
  EXPECT_EQ(outcome_of(run({.action = Action::kDelete, .name = {"bucket", "a"}})), "not_found");
}

TEST_F(S3StoreTest, TellsRefusalsInTheWordsOfSources) {
  serve(always(refusal("404 Not Found", "NoSuchKey")));
  EXPECT_EQ(get("a").error().detail, "there is no such source");
  serve(always(refusal("403 Forbidden", "SignatureDoesNotMatch")));
  const auto result = get("a");
  ASSERT_EQ(outcome_of(result), "forbidden_source");
  EXPECT_EQ(result.error().detail, "this source is not allowed");
  EXPECT_NE(result.error().cause.find("SignatureDoesNotMatch"), std::string::npos) << result.error().cause;
  EXPECT_EQ(result.error().cause.find("top-secret"), std::string::npos);
}

TEST_F(S3StoreTest, FollowsNoRedirect) {
  const auto& canary = add_server(always(answer("200 OK", "canary")));
  serve(always(refusal("307 Temporary Redirect", "TemporaryRedirect", "Location: " + canary.url("/") + "\r\n")));
  EXPECT_EQ(outcome_of(get("a")), "origin_failed");
  EXPECT_EQ(canary.connection_count(), 0);
}

TEST_F(S3StoreTest, TakesNoObjectOverTheLimit) {
  auto settings = test_settings();
  settings.http.max_source_bytes = 3;
  const auto& server = serve(always(answer("200 OK", "four")), settings);
  EXPECT_EQ(outcome_of(get("a")), "source_too_large");
  EXPECT_EQ(server.requests().size(), 1u) << "once more would not help";
}

TEST_F(S3StoreTest, EndsAtOnceWhenNobodyWaits) {
  serve([](OriginConnection& connection, const std::string&) {
    connection.stall();
    return false;
  });
  std::stop_source stop;
  auto result = start({.name = {"bucket", "a"}, .stop = stop.get_token()});
  stop.request_stop();
  EXPECT_EQ(outcome_of(result.get()), "cancelled");
}

TEST_F(S3StoreTest, EndsWhatIsUnderWayWithItself) {
  serve([](OriginConnection& connection, const std::string&) {
    connection.stall();
    return false;
  });
  auto result = start({.name = {"bucket", "a"}});
  drop_store();
  EXPECT_EQ(outcome_of(result.get()), "shutting_down");
}

TEST_F(S3StoreTest, CountsWhatItDoes) {
  serve(always(refusal("403 Forbidden", "AccessDenied")));
  get("a");
  run({.action = Action::kHead, .name = {"bucket", "a"}});
  run({.action = Action::kPut, .name = {"bucket", "a"}});
  run({.action = Action::kDelete, .name = {"bucket", "a"}});
  const auto figures = store().figures();
  EXPECT_EQ(figures.gets, 1u);
  EXPECT_EQ(figures.heads, 1u);
  EXPECT_EQ(figures.puts, 1u);
  EXPECT_EQ(figures.deletes, 1u);
  EXPECT_EQ(figures.failures, 4u);
  EXPECT_EQ(figures.retries, 0u);
}

}  // namespace
}  // namespace optimux::source
