#include "server/preload_route.hpp"

#include <string>

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
