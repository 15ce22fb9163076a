#include "server/preload_route.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

ClientResponse post(HttpClient& client, const std::string& body) {
  client.request("POST", "/optimux/preload", "Content-Length: " + std::to_string(body.size()) + "\r\n");
  client.send(body);
  return client.read_response();
}

TEST(PreloadRoute, MostUrgentFirstEqualsInOrder) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response =
      post(client, R"([{"url":"/c"},{"url":"/d","priority":7},{"url":"/a","priority":0},{"url":"/b","priority":0}])");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.headers.joined("Link"),
            "</a>; rel=preload; as=image, </b>; rel=preload; as=image, </c>; rel=preload; as=image, </d>; rel=preload; "
            "as=image");
}

TEST(PreloadRoute, ListsThatCannotBeAreRefused) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const body :
       {"", "{}", "[1]", "[{}]", R"([{"url":""}])", R"([{"url":1}])", R"([{"url":"/a","priority":8}])",
        R"([{"url":"/a","priority":-1}])", R"([{"url":"/a","priority":1.5}])", R"([{"url":"/a","other":1}])", "[",
        R"([{"url":"/a","priority":99999999999999999999}])"}) {
    EXPECT_EQ(post(client, body).status, 400) << body;
  }
}

TEST(PreloadRoute, NoMoreThanTheLimit) {
  RunningServer running;
  HttpClient client(running.url());
  std::string list = "[";
  for (int i = 0; i < 2000; ++i) list += "{\"url\":\"/a\"},";
  list.back() = ']';
  EXPECT_EQ(post(client, list).headers.joined("Link").size(),
            2000 * (std::string("</a>; rel=preload; as=image, ").size()) - 2);
  list.back() = ',';
  EXPECT_EQ(post(client, list + "{\"url\":\"/a\"}]").status, 400);
}

TEST(PreloadRoute, NothingIsReadBehindWhatDoesNotBelong) {
  RunningServer running;
  HttpClient client(running.url());
  std::string full = "[";
  for (int i = 0; i < 2000; ++i) full += "{\"url\":\"/a\"},";
  // What follows is no JSON, and would be the thing that is complained of if it were read.
  const std::pair<std::string, std::string> refusals[] = {
      {"[[!", "entry 0: not an object"},
      {"[{\"url\":\"/a\"},1!", "entry 1: not an object"},
      {"[{\"url\":[!", "entry 0: url is a text"},
      {"[{\"url\":\"/a\",\"priority\":{!", "entry 0: priority is a whole number"},
      {"[{\"url\":\"/a\",\"url\"!", "entry 0: has only url and priority, each once"},
      {"[{}!", "entry 0: url is a text"},
      {"{!", "not a JSON list"},
      {full + "{!", "more than 2000 entries"},
  };
  for (const auto& [body, detail] : refusals) {
    const auto response = post(client, body);
    EXPECT_EQ(response.status, 400);
    EXPECT_NE(response.body.find(detail), std::string::npos) << response.body;
  }
}

TEST(PreloadRoute, NoFieldIsMadeOfAUrl) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response = post(client, R"([{"url":"/a>\r\nX-Evil: y\u0000"}])");
  EXPECT_EQ(response.status, 204);
  EXPECT_FALSE(response.headers.has("X-Evil"));
  EXPECT_EQ(response.headers.find("Link"), "</a%3E%0D%0AX-Evil:%20y%00>; rel=preload; as=image");
}

}  // namespace
}  // namespace optimux::server
