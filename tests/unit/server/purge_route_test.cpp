#include "server/purge_route.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

using Lines = std::vector<std::string>;

class PurgeRoute : public testing::Test {
 protected:
  int purge(const std::string& query) {
    HttpClient admin(running.admin_url());
    admin.request("DELETE", "/cache" + query, "");
    response = admin.read_response();
    return response.status;
  }

  RunningServer running;
  ClientResponse response;
};

TEST_F(PurgeRoute, WithoutAParameterItIsAll) {
  EXPECT_EQ(purge(""), 204);
  EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  EXPECT_EQ(running.backend().purges(), Lines{"all"});
}

TEST_F(PurgeRoute, ASourceIsNamedAsInImageUrl) {
  EXPECT_EQ(purge("?source=file:///a%2520b.jpg"), 204);
  EXPECT_EQ(purge("?source=http%3A%2F%2FEXAMPLE.org%3A80%2Fa.jpg%3Fv%3D1"), 204);
  EXPECT_EQ(running.backend().purges(), (Lines{"source file:a b.jpg", "source http:http://example.org/a.jpg?v=1"}));
}

TEST_F(PurgeRoute, ARenditionIsNamedByItsUrl) {
  EXPECT_EQ(purge("?url=/optimux/assets/a.jpg?sizes=10x0%26format=webp"), 204);
  EXPECT_EQ(
      purge("?url=https%3A%2F%2Fimages.example.org%2Fresize%3Fimage_url%3Dfile%3A%2F%2F%2Fa.jpg%26sizes%3D10x0,20x0"),
      204);
  EXPECT_EQ(running.backend().purges(), (Lines{"rendition file:a.jpg 10webp", "rendition file:a.jpg 10 20"}));
}

TEST_F(PurgeRoute, AnAutomaticFormatIsAllThatItMayBe) {
  EXPECT_EQ(purge("?url=/optimux/assets/a.jpg?sizes=10x0%26format=auto"), 204);
  EXPECT_EQ(running.backend().purges(), Lines{"rendition file:a.jpg 10 10webp 10avif 10jpeg 10png 10gif"});
}

TEST_F(PurgeRoute, ADescriptionIsNamedByItsUrl) {
  EXPECT_EQ(purge("?url=/optimux/info/a.jpg"), 204);
  EXPECT_EQ(purge("?url=/info?image_url=file:///b.jpg"), 204);
  EXPECT_EQ(running.backend().purges(), (Lines{"info file:a.jpg", "info file:b.jpg"}));
}

TEST_F(PurgeRoute, AnOriginalGoesWithTheDescription) {
  EXPECT_EQ(purge("?url=/optimux/assets/a.jpg?format=original"), 204);
  EXPECT_EQ(running.backend().purges(), (Lines{"info file:a.jpg"}));
}

TEST_F(PurgeRoute, WhatNamesNothingIsRefusedAndPurgesNothing) {
  for (const char* query :
       {"?key=a", "?source=a", "?source=", "?source=ftp://a/b", "?url=/optimux/assets/a.jpg%3Fwidth=1",
        "?source=file:///a&url=/optimux/assets/a", "?source=file:///a&source=file:///b", "?source=%zz"}) {
    const int status = purge(query);
    EXPECT_TRUE(status == 400 || status == 403) << query << ": " << status;
  }
  for (const char* query : {"?url=/health", "?url=", "?url=http://a", "?url=/optimux/assets/"}) {
    EXPECT_EQ(purge(query), 404) << query;
  }
  EXPECT_EQ(running.backend().purges(), Lines{});
}

TEST_F(PurgeRoute, WhatCouldNotBePurgedIsAnError) {
  running.backend().fail_purges({base::ErrorCode::kOverloaded, "too many files are being read", {}});
  EXPECT_EQ(purge(""), 503);
}

TEST_F(PurgeRoute, ItIsNotThereForTheClientsOfImages) {
  HttpClient client(running.url());
  client.request("DELETE", "/cache", "");
  EXPECT_EQ(client.read_response().status, 404);
  EXPECT_EQ(running.backend().purges(), Lines{});
}

}  // namespace
}  // namespace optimux::server
