#include "source/http_source.hpp"

#include <atomic>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "source/via.hpp"
#include "unit/source/http_source_fixture.hpp"

namespace optimux::source {
namespace {

class HttpSourceTest : public HttpSourceFixture {};

TEST_F(HttpSourceTest, FetchesABody) {
  const auto& origin = add_origin(always(answer("200 OK", "picture")));
  const auto result = get(origin.url("/a.jpg"));
  ASSERT_EQ(outcome_of(result), "ok") << result.error().cause;
  EXPECT_EQ(text_of(result), "picture");
}

TEST_F(HttpSourceTest, FetchesALargeBodyByteForByte) {
  std::string body(3'000'001, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761u >> 24);
  const auto& origin = add_origin(always(answer("200 OK", body)));
  EXPECT_TRUE(text_of(get(origin.url("/"))) == body);
}

TEST_F(HttpSourceTest, ReportsWhatTheOriginSaid) {
  const auto& origin =
      add_origin(always(answer("200 OK", "x",
                               "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                               "ETag: \"abc\"\r\nCache-Control: max-age=60\r\nCache-Control: public\r\n")));
  const auto result = get(origin.url("/"));
  ASSERT_TRUE(result);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(result->facts.last_modified.value()), 784111777);
  EXPECT_EQ(result->facts.etag, "\"abc\"");
  EXPECT_EQ(result->facts.cache_control, "max-age=60, public");
}

TEST_F(HttpSourceTest, SaysWhoAsksAndNothingElse) {
  const auto& origin = add_origin(always(answer("200 OK", "x", "Set-Cookie: a=b\r\n")));
  get(origin.url("/a?b=c%2f"));
  get(origin.url("/a?b=c%2f"));
  for (const std::string& request : origin.requests()) {
    EXPECT_EQ(path_of(request), "/a?b=c%2f");
    EXPECT_TRUE(has_field(request, "User-Agent: optimux/")) << request;
    EXPECT_TRUE(has_field(request, "Via: 1.1 " + via_pseudonym() + "\r")) << request;
    EXPECT_TRUE(has_field(request, "Accept-Encoding: identity\r")) << request;
    for (const char* field : {"Cookie:", "Authorization:", "Referer:", "Range:"})
      EXPECT_FALSE(has_field(request, field));
  }
}

TEST_F(HttpSourceTest, SaysWhatTheRequestCameThroughAtRedirectsToo) {
  const auto& end = add_origin(always(answer("200 OK", "x")));
  const auto& origin = add_origin(always(answer("302 Found", "", "Location: " + end.url("/") + "\r\n")));
  FetchRequest request{parse_source_url(origin.url("/")).value(), {}, {}};
  request.via = "1.1 optimux-00000001";
  EXPECT_EQ(outcome_of(start_fetch(source(), std::move(request)).get()), "ok");
  for (const auto* const asked : {&origin, &end}) {
    const auto requests = asked->requests();
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_TRUE(has_field(requests[0], "Via: 1.1 optimux-00000001, 1.1 " + via_pseudonym() + "\r")) << requests[0];
  }
}

TEST_F(HttpSourceTest, IgnoresProxiesOfTheEnvironment) {
  const auto& proxy = add_canary("127.0.0.1");
  const auto& origin = add_origin(always(answer("200 OK", "direct")));
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    ASSERT_EQ(::setenv(name, proxy.url("").c_str(), 1), 0);  // NOLINT(concurrency-mt-unsafe)
  }
  EXPECT_EQ(text_of(get(origin.url("/"))), "direct");
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
}

TEST_F(HttpSourceTest, UsesAConnectionAgain) {
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(text_of(get(origin.url("/" + std::to_string(i)))), "x");
  EXPECT_EQ(origin.connection_count(), 1);
  EXPECT_EQ(origin.requests().size(), 5u);
}

TEST_F(HttpSourceTest, UsesAConnectionAgainAfterAnErrorWithAShortBody) {
  const auto& origin = add_origin(always(answer("404 Not Found", "no such picture")));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome_of(get(origin.url("/"))), "not_found");
  EXPECT_EQ(origin.connection_count(), 1);
}

TEST_F(HttpSourceTest, SurvivesAnOriginThatClosesIdleConnections) {
  const auto& origin = add_origin([](OriginConnection& connection, const std::string&) {
    connection.send(answer("200 OK", "x"));
    return false;  // The client was not told, and may try this connection again.
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(text_of(get(origin.url("/"))), "x");
}

TEST_F(HttpSourceTest, OpensNoMoreConnectionsToAHostThanAllowed) {
  auto settings = test_settings();
  settings.connections.max_connections_per_host = 2;
  make_source(settings);
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  std::vector<std::future<FetchResult>> results;
  for (int i = 0; i < 20; ++i) results.push_back(start(origin.url("/")));
  for (auto& result : results) EXPECT_EQ(outcome_of(result.get()), "ok");
  EXPECT_LE(origin.connection_count(), 2);
}

TEST_F(HttpSourceTest, CallsBackInTheLoopsThreadAndNeverFromInsideFetch) {
  std::promise<std::thread::id> called_in;
  const auto inside = std::make_shared<bool>(true);
  const auto locator = parse_source_url(add_origin(always(answer("200 OK", "x"))).url("/")).value();
  loop().run([&] {
    source().fetch({locator, {}, {}}, [&called_in, inside](const FetchResult&) {
      EXPECT_FALSE(*inside);
      called_in.set_value(std::this_thread::get_id());
    });
    *inside = false;
  });
  EXPECT_EQ(called_in.get_future().get(), loop().id());
}

TEST_F(HttpSourceTest, TakesFetchesFromManyThreads) {
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 10; ++j) good += text_of(get(origin.url("/"))) == "x" ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 40);
}

// The origin's handler runs before the fetch is stopped, so that the stop comes in the middle of the answer.
TEST_F(HttpSourceTest, AStopEndsTheTransferAtOnce) {
  std::promise<void> answering;
  std::promise<void> client_gone;
  const auto& origin = add_origin([&](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    answering.set_value();
    connection.stall();
    client_gone.set_value();
    return false;
  });
  std::stop_source stop;
  auto result = start(origin.url("/"), {}, stop.get_token());
  answering.get_future().wait();
  stop.request_stop();
  EXPECT_EQ(outcome_of(result.get()), "cancelled");
  client_gone.get_future().wait();
}

TEST_F(HttpSourceTest, AStopBeforeTheStartSendsNothing) {
  const auto& origin = add_canary("127.0.0.1");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(outcome_of(start(origin.url("/"), {}, stop.get_token()).get()), "cancelled");
}

TEST_F(HttpSourceTest, ThePassedDeadlineEndsTheTransfer) {
  const auto& origin = add_origin([](OriginConnection& connection, const std::string&) {
    connection.stall();
    return false;
  });
  const auto deadline = base::Deadline::after(std::chrono::milliseconds(20));
  EXPECT_EQ(outcome_of(start(origin.url("/"), deadline).get()), "deadline_exceeded");
}

TEST_F(HttpSourceTest, TheEndOfTheSourceEndsItsFetches) {
  std::promise<void> stalled;
  const auto& origin = add_origin([&](OriginConnection& connection, const std::string& request) {
    if (path_of(request) == "/running") stalled.set_value();
    connection.stall();
    return false;
  });
  auto running = start(origin.url("/running"));
  stalled.get_future().wait();
  auto starting = start(origin.url("/starting"));
  drop_source();
  ASSERT_EQ(running.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  ASSERT_EQ(starting.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(outcome_of(running.get()), "shutting_down");
  EXPECT_EQ(outcome_of(starting.get()), "shutting_down");
}

TEST_F(HttpSourceTest, StalledFetchesDoNotHoldUpOthers) {
  const auto& stalling = add_origin([](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    connection.stall();
    return false;
  });
  const auto& healthy = add_origin(always(answer("200 OK", "x")));
  std::stop_source stop;
  std::vector<std::future<FetchResult>> waiting;
  for (int i = 0; i < 25; ++i) waiting.push_back(start(stalling.url("/"), {}, stop.get_token()));
  for (int i = 0; i < 25; ++i) EXPECT_EQ(outcome_of(get(healthy.url("/"))), "ok");
  stop.request_stop();
  for (auto& result : waiting) EXPECT_EQ(outcome_of(result.get()), "cancelled");
}

TEST_F(HttpSourceTest, RefusesAnUnparsableLocator) {
  const SourceLocator locator{SourceLocator::Kind::kHttp, "no URL"};
  EXPECT_EQ(outcome_of(start_fetch(source(), {locator, {}, {}}).get()), "invalid_url");
}

}  // namespace
}  // namespace optimux::source
