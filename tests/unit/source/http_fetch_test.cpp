#include "source/http_fetch.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/source/http_source_fixture.hpp"

namespace optimux::source {
namespace {

std::string redirect(std::string_view location, std::string_view status = "302 Found") {
  return answer(status, "", "Location: " + std::string(location) + "\r\n");
}

class HttpFetchTest : public HttpSourceFixture {
 protected:
  // `/hop/N` leads to `/hop/N-1`, `/hop/0` is the picture.
  OriginStub& add_chain() {
    return add_origin([](OriginConnection& connection, const std::string& request) {
      const int left = std::stoi(path_of(request).substr(5));
      if (left == 0) return connection.send(answer("200 OK", "picture"));
      return connection.send(redirect("/hop/" + std::to_string(left - 1)));
    });
  }
};

TEST_F(HttpFetchTest, FollowsRedirectsOfEveryKind) {
  for (const char* status : {"301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"}) {
    const auto& origin = add_origin([status](OriginConnection& connection, const std::string& request) {
      return connection.send(path_of(request) == "/end" ? answer("200 OK", "picture") : redirect("end", status));
    });
    EXPECT_EQ(text_of(get(origin.url("/start"))), "picture") << status;
    EXPECT_EQ(origin.connection_count(), 1) << "the connection is used again";
  }
}

TEST_F(HttpFetchTest, FollowsRedirectsToOtherOrigins) {
  const auto& target = add_origin(always(answer("200 OK", "picture")));
  const auto& origin = add_origin(always(redirect(target.url("/there"))));
  EXPECT_EQ(text_of(get(origin.url("/"))), "picture");
  EXPECT_EQ(path_of(target.requests().at(0)), "/there");
}

TEST_F(HttpFetchTest, FollowsAsManyRedirectsAsAllowed) {
  const auto& origin = add_chain();
  EXPECT_EQ(outcome_of(get(origin.url("/hop/5"))), "ok");
  EXPECT_EQ(origin.requests().size(), 6u);
  const auto result = get(origin.url("/hop/6"));
  EXPECT_EQ(outcome_of(result), "origin_failed");
  EXPECT_NE(result.error().cause.find("too many redirects"), std::string::npos) << result.error().cause;
  EXPECT_EQ(origin.requests().size(), 12u);

  auto settings = test_settings();
  settings.max_redirects = 0;
  make_source(settings);
  EXPECT_EQ(outcome_of(get(origin.url("/hop/0"))), "ok");
  EXPECT_EQ(outcome_of(get(origin.url("/hop/1"))), "origin_failed");
}

TEST_F(HttpFetchTest, SeesARedirectToItselfAtTheFirstHop) {
  for (const char* location : {"/self", "#top", "/x/../self", "?"}) {
    const auto& origin = add_origin(always(redirect(location)));
    const auto result = get(origin.url("/self"));
    EXPECT_EQ(outcome_of(result), "origin_failed") << location;
    EXPECT_NE(result.error().cause.find("redirect loop"), std::string::npos) << result.error().cause;
    EXPECT_EQ(origin.requests().size(), 1u) << location;
  }
}

TEST_F(HttpFetchTest, SeesALoopOfTwo) {
  const auto& origin = add_origin([](OriginConnection& connection, const std::string& request) {
    return connection.send(redirect(path_of(request) == "/a" ? "/b" : "/a"));
  });
  EXPECT_EQ(outcome_of(get(origin.url("/a"))), "origin_failed");
  EXPECT_EQ(origin.requests().size(), 2u);
}

TEST_F(HttpFetchTest, RefusesRedirectsToOtherSchemesInTheUniformWords) {
  for (const char* location : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:1/", "dict://127.0.0.1/",
                               "javascript:alert(1)", "data:image/png;base64,AA"}) {
    const auto result = get(add_origin(always(redirect(location))).url("/"));
    ASSERT_EQ(outcome_of(result), "forbidden_source") << location;
    EXPECT_EQ(result.error().detail, "this source is not allowed");
  }
}

TEST_F(HttpFetchTest, FailsOnRedirectsThatLeadNowhere) {
  for (const char* location :
       {"http://u:p@127.0.0.1/", "http://", "http:x", "http://127.0.0.1:99999/", "http://[::1"}) {
    EXPECT_EQ(outcome_of(get(add_origin(always(redirect(location))).url("/"))), "origin_failed") << location;
  }
  EXPECT_EQ(outcome_of(get(add_origin(always(answer("302 Found", ""))).url("/"))), "origin_failed");
}

TEST_F(HttpFetchTest, RefusesRedirectsToAddressesThatAreNotAllowed) {
  const auto& canary = add_canary("127.0.0.2");
  for (const std::string& location :
       {canary.url("/"), canary.url("/", "2130706434"), canary.url("/", "0x7f.2"), canary.url("/", "0177.0.0.2"),
        canary.url("/", "::ffff:127.0.0.2"), std::string("http://169.254.169.254/latest/meta-data/"),
        std::string("http://[::1]/")}) {
    const auto result = get(add_origin(always(redirect(location))).url("/"));
    ASSERT_EQ(outcome_of(result), "forbidden_source") << location;
    EXPECT_EQ(result.error().detail, "this source is not allowed");
  }
}

TEST_F(HttpFetchTest, CarriesNothingOverToTheNextHop) {
  const auto& target = add_origin(always(answer("200 OK", "x")));
  const auto& origin =
      add_origin(always(answer("302 Found", "", "Set-Cookie: a=b; Path=/\r\nLocation: " + target.url("/") + "\r\n")));
  EXPECT_EQ(outcome_of(get(origin.url("/secret?token=1"))), "ok");
  for (const char* field : {"Cookie:", "Authorization:", "Referer:"}) {
    EXPECT_FALSE(has_field(target.requests().at(0), field)) << field;
  }
}

TEST_F(HttpFetchTest, DoesNotWaitForTheBodyOfARedirect) {
  const auto& origin = add_origin([](OriginConnection& connection, const std::string& request) {
    if (path_of(request) == "/end") return connection.send(answer("200 OK", "picture"));
    connection.send("HTTP/1.1 302 Found\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n");
    connection.stall();
    return false;
  });
  EXPECT_EQ(text_of(get(origin.url("/"))), "picture");
}

TEST_F(HttpFetchTest, TheTotalTimeHoldsForAllHopsTogether) {
  auto settings = test_settings();
  settings.total_timeout = std::chrono::milliseconds(30);
  settings.max_redirects = 1'000'000;
  make_source(settings);
  const auto& origin = add_origin([hop = 0](OriginConnection& connection, const std::string&) mutable {
    return connection.send(redirect("/" + std::to_string(++hop)));
  });
  EXPECT_EQ(outcome_of(get(origin.url("/"))), "origin_timeout");
}

TEST_F(HttpFetchTest, TellsEachStatusByTheTable) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"200 OK", "ok"},
      {"203 Non-Authoritative", "ok"},
      {"201 Created", "origin_failed"},
      {"206 Partial Content", "origin_failed"},
      {"300 Multiple Choices", "origin_failed"},
      {"400 Bad Request", "origin_failed"},
      {"401 Unauthorized", "forbidden_source"},
      {"403 Forbidden", "forbidden_source"},
      {"404 Not Found", "not_found"},
      {"410 Gone", "not_found"},
      {"418 Teapot", "origin_failed"},
      {"429 Too Many Requests", "origin_failed"},
      {"500 Internal Server Error", "origin_failed"},
      {"503 Service Unavailable", "origin_failed"},
      {"999 Odd", "origin_failed"},
  };
  for (const auto& [status, expected] : cases) {
    const auto result = get(add_origin(always(answer(status, "x"))).url("/x?token=secret"));
    EXPECT_EQ(outcome_of(result), expected) << status;
    if (result) continue;
    EXPECT_NE(result.error().cause.find("status " + status.substr(0, 3)), std::string::npos) << result.error().cause;
    EXPECT_EQ(result.error().cause.find("secret"), std::string::npos) << result.error().cause;
  }
}

TEST_F(HttpFetchTest, NoContentIsNoSource) {
  const std::string no_content = "HTTP/1.1 204 No Content\r\n\r\n";
  EXPECT_EQ(outcome_of(get(add_origin(always(no_content)).url("/"))), "origin_failed");
  EXPECT_EQ(outcome_of(get(add_origin(always("HTTP/1.1 304 Not Modified\r\n\r\n")).url("/"))), "origin_failed");
}

}  // namespace
}  // namespace optimux::source
