#include "server/rendition_routes.hpp"

#include <string>

#include <gtest/gtest.h>

#include "source/via.hpp"
#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

using source::SourceLocator;

TEST(RenditionRoutes, ResizeTakesAUrlAndParameters) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response =
      client.get("/resize?image_url=http%3A%2F%2FEXAMPLE.org%2Fa.jpg&sizes=300x0&format=webp&quality=60");
  EXPECT_EQ(response.status, 200);
  const auto spec = running.backend().last_spec();
  EXPECT_EQ(spec.source.kind, SourceLocator::Kind::kHttp);
  EXPECT_EQ(spec.source.value, "http://example.org/a.jpg");
  EXPECT_EQ(spec.render.sizes[0], (media::Size{300, 0}));
  EXPECT_EQ(spec.render.format, media::Format::kWebp);
  EXPECT_EQ(spec.render.quality, 60);
}

TEST(RenditionRoutes, KeysAreDecodedOnce) {
  RunningServer running;
  HttpClient client(running.url());
  EXPECT_EQ(client.get("/optimux/assets/a%2520b/c+d%23e.jpg").status, 200);
  EXPECT_EQ(running.backend().last_spec().source.value, "a%20b/c+d#e.jpg");
  EXPECT_EQ(client.get("/optimux/static/logo.png").status, 200);
  EXPECT_EQ(running.backend().last_spec().source.value, "static/logo.png");
}

TEST(RenditionRoutes, RequestsThatCannotBeAreRefusedBeforeAnythingIsOpened) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const target :
       {"/resize", "/resize?image_url=http://h/a&image_url=http://h/b", "/resize?image_url=nonsense",
        "/resize?image_url=%zz", "/resize?image_url=http://h/a&quality=0", "/resize?image_url=http://h/a&unknown=1",
        "/optimux/assets/%", "/optimux/assets/a%00b", "/optimux/assets/a?image_url=http://h/a", "/info",
        "/info?image_url=http://h/a&sizes=1", "/optimux/info/a?download=b",
        "/optimux/assets/a?download=a&download=b"}) {
    const auto response = client.get(target);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_EQ(response.headers.find("Content-Type"), "application/problem+json");
    EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  }
  EXPECT_EQ(client.get("/resize?image_url=ftp://h/a").status, 403);
  EXPECT_EQ(running.backend().opened(), 0);
}

TEST(RenditionRoutes, AUrlThatLeadsBackHereIsALoop) {
  RunningServer running;
  HttpClient client(running.url());
  const std::string back = "Via: 1.0 cache\r\nVia: 1.1 " + source::via_pseudonym() + "\r\n";
  for (const auto* const target : {"/resize?image_url=http://h/a", "/info?image_url=http://h/a"}) {
    const auto response = client.get(target, back);
    EXPECT_EQ(response.status, 502) << target;
    EXPECT_NE(response.body.find("loops"), std::string::npos) << response.body;
    EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  }
  EXPECT_EQ(running.backend().opened(), 0);
  for (const auto* const target : {"/resize?image_url=http://h/a", "/info?image_url=http://h/a"}) {
    EXPECT_EQ(client.get(target, "Via: 1.1 cache, 1.1 optimux-00000001\r\n").status, 200);
    EXPECT_EQ(running.backend().last_via(), "1.1 optimux-00000001");
  }
  EXPECT_EQ(client.get("/optimux/assets/a", back).status, 200);  // A picture of its own may be fetched from itself.
}

TEST(RenditionRoutes, ProblemNamesParameterAndRange) {
  RunningServer running;
  const auto response = HttpClient(running.url()).get("/optimux/assets/a?quality=101", "X-Request-Id: mine-1\r\n");
  EXPECT_NE(response.body.find("quality"), std::string::npos);
  EXPECT_NE(response.body.find("100"), std::string::npos);
  EXPECT_NE(response.body.find("\"request_id\":\"mine-1\""), std::string::npos);
}

TEST(RenditionRoutes, FieldsOfASuccess) {
  RunningServer running;
  const auto response = HttpClient(running.url()).get("/optimux/assets/a.jpg");
  const auto& headers = response.headers;
  EXPECT_EQ(headers.find("Content-Type"), "image/webp");
  EXPECT_EQ(headers.find("ETag"), "\"tag\"");
  EXPECT_EQ(headers.find("Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(headers.find("Cache-Control"), "public, max-age=86400");
  EXPECT_EQ(headers.find("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(headers.find("Cross-Origin-Resource-Policy"), "cross-origin");
  EXPECT_EQ(headers.find("Server-Timing"), "cache;desc=miss, fetch;dur=1.5, queue;dur=0.2, decode;dur=3.0");
  EXPECT_EQ(headers.find("X-Request-Id").value_or("").size(), 16u);
  EXPECT_TRUE(headers.has("Date"));
  EXPECT_FALSE(headers.has("Age"));
  EXPECT_FALSE(headers.has("Vary"));
}

TEST(RenditionRoutes, OriginsCacheControlIsPassedOnWhenAsked) {
  ServerSettings settings = test_settings();
  settings.use_origin_cache_control = true;
  settings.server_timing = false;
  RunningServer running(settings);
  const auto response = HttpClient(running.url()).get("/optimux/assets/a.jpg");
  EXPECT_EQ(response.headers.find("Cache-Control"), "public, max-age=7");
  EXPECT_FALSE(response.headers.has("Server-Timing"));
}

/// All fields but those that tell how this very answer came to be, and the framing.
std::string lasting_fields(const ClientResponse& response) {
  std::string text;
  for (const auto& field : response.headers) {
    bool is_passing = false;
    for (const auto* const name :
         {"Age", "Server-Timing", "X-Request-Id", "Date", "Content-Length", "Transfer-Encoding"}) {
      is_passing = is_passing || field.name == name;
    }
    if (!is_passing) text.append(field.name).append(": ").append(field.value).append("\n");
  }
  return text;
}

TEST(RenditionRoutes, AnswerFromTheCacheIsTheFirstOne) {
  RunningServer running;
  HttpClient client(running.url());
  const auto first = client.get("/optimux/assets/a.jpg?format=auto");
  running.backend().set_outcome(service::CacheOutcome::kHit);
  const auto second = client.get("/optimux/assets/a.jpg?format=auto");
  EXPECT_EQ(first.body, second.body);
  EXPECT_EQ(lasting_fields(first), lasting_fields(second));
  EXPECT_EQ(second.headers.find("Server-Timing"), "cache;desc=hit");
  EXPECT_EQ(second.headers.find("Age"), "5");
}

TEST(RenditionRoutes, TellsHowTheRenditionWasFound) {
  RunningServer running;
  HttpClient client(running.url());
  const auto timing_and_age = [&](service::CacheOutcome outcome) {
    running.backend().set_outcome(outcome);
    const auto response = client.get("/optimux/assets/a.jpg");
    return std::string(response.headers.find("Server-Timing").value_or("")) + "/" +
           std::string(response.headers.find("Age").value_or(""));
  };
  EXPECT_EQ(timing_and_age(service::CacheOutcome::kDisk), "cache;desc=disk/5");
  EXPECT_EQ(timing_and_age(service::CacheOutcome::kStore), "cache;desc=store/5");
  EXPECT_EQ(timing_and_age(service::CacheOutcome::kStale), "cache;desc=stale/5");
  EXPECT_TRUE(timing_and_age(service::CacheOutcome::kRevalidated).starts_with("cache;desc=revalidated, fetch;dur="));
  EXPECT_TRUE(timing_and_age(service::CacheOutcome::kMiss).ends_with("/")) << "no age";
}

TEST(RenditionRoutes, AutomaticFormatLooksAtAccept) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response =
      client.get("/optimux/assets/a?format=auto", "Accept: image/avif,image/webp;q=0.5,*/*;q=0.1\r\n");
  EXPECT_EQ(response.headers.find("Vary"), "Accept");
  EXPECT_EQ(running.backend().last_spec().render.format, media::Format::kAvif);
  const auto refused = client.get("/optimux/assets/a?format=auto", "Accept: text/html\r\n");
  EXPECT_EQ(refused.status, 406);
  EXPECT_EQ(refused.headers.find("Vary"), "Accept");
}

TEST(RenditionRoutes, OriginalIsTheSourceAsItIs) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response = client.get("/optimux/assets/a.tif?format=original&download=b.tif");
  EXPECT_EQ(response.body, "original");
  EXPECT_EQ(response.headers.find("Content-Type"), "image/tiff");
  EXPECT_TRUE(response.headers.has("Content-Disposition"));
  EXPECT_EQ(client.get("/optimux/assets/a.tif?format=original", "Range: bytes=0-3\r\n").body, "orig");
  EXPECT_EQ(client.get("/optimux/assets/a.tif?format=original&sizes=10x0").status, 400);
}

TEST(RenditionRoutes, DownloadNamesTheFile) {
  RunningServer running;
  const auto response = HttpClient(running.url()).get("/optimux/assets/a?download=%C3%A9%0D%0AX-Evil:%20y.jpg");
  EXPECT_EQ(response.headers.find("Content-Disposition"),
            "attachment; filename=\"_X-Evil: y.jpg\"; filename*=UTF-8''%C3%A9X-Evil%3A%20y.jpg");
  EXPECT_FALSE(response.headers.has("X-Evil"));
}

TEST(RenditionRoutes, OtherSizesAreNamedAndServed) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response =
      client.get("/resize?sizes=300x0,600x0&image_url=http://h/a%2520b%3Fc%3D1%26d%3E&quality=50&sizes=0x90");
  EXPECT_EQ(response.headers.joined("Link"),
            "</resize?image_url=http://h/a%2520b%3Fc%3D1%26d%3E&quality=50&sizes=600x0>; rel=preload; as=image, "
            "</resize?image_url=http://h/a%2520b%3Fc%3D1%26d%3E&quality=50&sizes=0x90>; rel=preload; as=image");
  const auto first = running.backend().last_spec();
  EXPECT_EQ(client.get("/resize?image_url=http://h/a%2520b%3Fc%3D1%26d%3E&quality=50&sizes=600x0").status, 200);
  const auto second = running.backend().last_spec();
  EXPECT_EQ(service::rendition_key(first, 1), service::rendition_key(second, 0));
}

TEST(RenditionRoutes, SizesThatAreAskedForTwiceAreNamedOnce) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response = client.get("/optimux/assets/a?sizes=300x0,300,600x0,300x0,600");
  EXPECT_EQ(response.headers.joined("Link"), "</optimux/assets/a?sizes=600x0>; rel=preload; as=image");
  EXPECT_FALSE(client.get("/optimux/assets/a?sizes=300x0,300").headers.has("Link"));
}

TEST(RenditionRoutes, MissingUrlIsToldWithTheNameItMayHaveBeenGivenUnder) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const route : {"/resize", "/info"}) {
    const auto response = client.get(std::string(route) + "?url=file:///photo.jpg");
    EXPECT_EQ(response.status, 400);
    EXPECT_NE(
        response.body.find(
            R"(image_url: missing; it is the URL of the image; there is no parameter \"url\"; did you mean image_url?)"),
        std::string::npos)
        << response.body;
  }
}

TEST(RenditionRoutes, NamesThatMayMeanTheUrlAreHintedAt) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const name : {"src", "imageurl", "image-url", "Image_Url"}) {
    const auto response = client.get("/resize?" + std::string(name) + "=http://h/a");
    EXPECT_NE(response.body.find("did you mean image_url?"), std::string::npos) << response.body;
  }
  EXPECT_EQ(client.get("/resize?other=http://h/a").body.find("did you mean"), std::string::npos);
}

TEST(RenditionRoutes, QueryThatIsNotEncodedIsHintedAt) {
  RunningServer running;
  HttpClient client(running.url());
  const std::string hint = "if it belongs to image_url, percent-encode that (? as %3F, & as %26)";
  EXPECT_NE(client.get("/resize?image_url=http://h/p.jpg?a=1&b=2&sizes=50").body.find(hint), std::string::npos);
  EXPECT_EQ(client.get("/resize?image_url=http://h/p.jpg&b=2").body.find(hint), std::string::npos);
  EXPECT_EQ(client.get("/resize?image_url=http%3A//h/p.jpg%3Fa&b=2").body.find(hint), std::string::npos);
  EXPECT_EQ(client.get("/resize?image_url=http://h/p.jpg?a=1&sizes=50").status, 200);
}

TEST(RenditionRoutes, OtherSizesAreKeptUntilTheyAreMade) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", "/optimux/assets/a?sizes=300x0,600x0");
  const auto order = running.backend().next_order();
  auto& first = *order.renditions[0];
  auto& second = *order.renditions[1];
  start(first);
  append(*first.body(), "first");
  first.body()->complete();
  EXPECT_EQ(client.read_response().body, "first");
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
  EXPECT_EQ(second.body()->reader_count(), 1);
  start(second);
  append(*second.body(), "second");
  second.body()->complete();
  running.in_loop([] {});
  running.in_loop([] {});
  EXPECT_EQ(second.body()->reader_count(), 0);
}

TEST(RenditionRoutes, ClientThatLeavesTakesAllSizesWithIt) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("GET", "/optimux/assets/a?sizes=300x0,600x0");
  const auto order = running.backend().next_order();
  client.reset();
  running.log().wait_for("status=499");
  running.in_loop([] {});
  EXPECT_EQ(order.renditions[0]->body()->reader_count(), 0);
  EXPECT_EQ(order.renditions[1]->body()->reader_count(), 0);
}

TEST(RenditionRoutes, HeadIsAnsweredAtTheFirstByteAndTheRenditionGoesOn) {
  RunningServer running;
  running.backend().hold_orders();
  HttpClient client(running.url());
  client.request("HEAD", "/optimux/assets/a");
  const auto order = running.backend().next_order();
  auto& body = *order.renditions[0]->body();
  start(*order.renditions[0]);
  append(body, "bytes");
  EXPECT_EQ(client.read_response(true).headers.find("Content-Type"), "image/webp");
  EXPECT_EQ(client.get("/optimux/ping").status, 200);
  EXPECT_EQ(body.reader_count(), 1);
  body.complete();
  running.in_loop([] {});
  running.in_loop([] {});
  EXPECT_EQ(body.reader_count(), 0);
}

TEST(RenditionRoutes, InfoIsJson) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const target : {"/optimux/info/a.jpg", "/info?image_url=http://h/a.jpg"}) {
    const auto response = client.get(target);
    EXPECT_EQ(response.headers.find("Content-Type"), "application/json") << target;
    EXPECT_EQ(response.body, R"({"width":300})");
  }
}

TEST(RenditionRoutes, FailureIsToldByTheTableAndItsCauseIsNot) {
  RunningServer running;
  running.backend().fail_with({base::ErrorCode::kForbiddenSource, "host secret.internal", "10.0.0.1 is private"});
  const auto response = HttpClient(running.url()).get("/optimux/assets/a");
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.body.find("secret"), std::string::npos);
  EXPECT_EQ(response.body.find("private"), std::string::npos);
  EXPECT_NE(running.log().wait_for("status=403").find("10.0.0.1 is private"), std::string::npos);
}

TEST(RenditionRoutes, ASchemeThatThereIsNotIsForbiddenInWordsOfItsOwn) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const target : {"/resize?image_url=ftp://h/a.jpg", "/info?image_url=gopher://h/a.jpg"}) {
    const auto response = client.get(target);
    EXPECT_EQ(response.status, 403) << target;
    EXPECT_NE(response.body.find("write http://HOST/PATH, https://HOST/PATH"), std::string::npos) << response.body;
  }
  EXPECT_EQ(running.backend().opened(), 0);
}

TEST(RenditionRoutes, OverloadComesWithRetryAfter) {
  RunningServer running;
  running.backend().fail_with({base::ErrorCode::kOverloaded, "", ""});
  const auto response = HttpClient(running.url()).get("/optimux/assets/a");
  EXPECT_EQ(response.status, 503);
  const int seconds = std::stoi(std::string(response.headers.find("Retry-After").value_or("0")));
  EXPECT_GE(seconds, 4);
  EXPECT_LE(seconds, 6);
}

TEST(RenditionRoutes, NotFoundMayBeKeptForAWhile) {
  RunningServer running;
  running.backend().fail_with({base::ErrorCode::kNotFound, "", ""});
  EXPECT_EQ(HttpClient(running.url()).get("/optimux/assets/a").headers.find("Cache-Control"), "public, max-age=60");
  running.backend().fail_with({base::ErrorCode::kBrokenMedia, "", ""});
  EXPECT_EQ(HttpClient(running.url()).get("/optimux/assets/a").headers.find("Cache-Control"), "public, max-age=60");
}

TEST(RenditionRoutes, FieldsThatAClientChoosesStayInTheirPlace) {
  RunningServer running;
  HttpClient client(running.url());
  const auto response = client.get("/optimux/assets/a", "X-Request-Id: bad id; \"x\"\r\n");
  EXPECT_EQ(response.headers.find("X-Request-Id").value_or("").find("bad"), std::string::npos);
  const auto evil = client.get("/optimux/assets/a?sizes=1x1,2x2&format=webp%0D%0AX-Evil:%20y");
  EXPECT_EQ(evil.status, 400);
  EXPECT_FALSE(evil.headers.has("X-Evil"));
}

}  // namespace
}  // namespace optimux::server
