#include "http/http2_session.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/http/http2_link.hpp"

namespace optimux::http {
namespace {

TEST(Http2Session, AnswersARequest) {
  Http2Link link;
  const StreamId stream = link.peer.get("/optimux/ping?x=1", {{"accept", "text/plain"}});
  link.settle();
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  const auto& request = std::get<Http2Request>(events[0]);
  EXPECT_EQ(request.stream, stream);
  EXPECT_EQ(request.request.method, "GET");
  EXPECT_EQ(request.request.target, "/optimux/ping?x=1");
  EXPECT_EQ(request.request.headers.find("Host"), "localhost");
  EXPECT_EQ(request.request.headers.find("Accept"), "text/plain");
  ASSERT_TRUE(link.session.respond(stream, {200, {{"Content-Type", "text/plain"}}, 5}, true));
  link.session.supply(stream, supply_of("pong\n", true));
  link.settle();
  const auto& response = link.peer.response(stream);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "pong\n");
  EXPECT_EQ(response.headers.find("content-type"), "text/plain");
  EXPECT_EQ(response.headers.find("content-length"), "5");
  EXPECT_TRUE(response.is_ended);
  EXPECT_EQ(link.session.open_streams(), 0u);
  EXPECT_EQ(link.peer.failure(), "");
}

TEST(Http2Session, AnswersWithoutABody) {
  Http2Link link;
  const StreamId stream = link.peer.request("HEAD", "/a");
  link.settle();
  ASSERT_EQ(link.requests().size(), 1u);
  ASSERT_TRUE(link.session.respond(stream, {200, {}, 7}, false));
  link.settle();
  EXPECT_TRUE(link.peer.response(stream).is_ended);
  EXPECT_EQ(link.peer.response(stream).headers.find("content-length"), "7");
  EXPECT_EQ(link.session.open_streams(), 0u);
}

TEST(Http2Session, HeadsOfAnswersMayBeLong) {
  Http2Link link;
  const StreamId stream = link.peer.get("/a");
  link.settle();
  ResponseHead head{204, {}, std::nullopt};
  for (int i = 0; i < 1'000; ++i) head.headers.add("Link", "<" + std::string(60, 'u') + std::to_string(i) + ">");
  EXPECT_TRUE(link.session.respond(stream, head, false));
  link.settle();
  EXPECT_EQ(link.peer.response(stream).status, 204);
  EXPECT_TRUE(link.peer.response(stream).is_ended);
}

TEST(Http2Session, HeadsBeforeTheLastInform) {
  Http2Link link;
  const StreamId stream = link.peer.get("/a");
  link.settle();
  EXPECT_TRUE(link.session.inform(stream, kEarlyHints, {{"Link", "</b>"}, {"Link", "</c>"}, {"Bad", "a\r\nb: c"}}));
  link.settle();
  EXPECT_EQ(link.peer.response(stream).status, 103);
  EXPECT_FALSE(link.peer.response(stream).is_ended);
  EXPECT_EQ(link.session.open_streams(), 1u);
  ASSERT_TRUE(link.session.respond(stream, {200, {{"Content-Type", "text/plain"}}, 5}, true));
  EXPECT_FALSE(link.session.inform(stream, kEarlyHints, {{"Link", "</d>"}})) << "too late";
  link.session.supply(stream, supply_of("pong\n", true));
  link.settle();
  const auto& response = link.peer.response(stream);
  ASSERT_EQ(response.informational.size(), 1u);
  EXPECT_EQ(response.informational[0].first, 103);
  EXPECT_EQ(response.informational[0].second.joined("link"), "</b>, </c>");
  EXPECT_EQ(response.informational[0].second.size(), 2u);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "pong\n");
  EXPECT_FALSE(response.headers.has("link"));
  EXPECT_FALSE(link.session.inform(stream, kEarlyHints, {{"Link", "</d>"}})) << "gone";
  EXPECT_EQ(link.peer.failure(), "");
}

TEST(Http2Session, AnAnswerWhoseHeadCannotBeSentIsReset) {
  for (const bool has_body : {false, true}) {
    Http2Link link;
    const StreamId stream = link.peer.get("/a");
    link.settle();
    link.events();
    ResponseHead head{200, {}, std::nullopt};
    for (int i = 0; i < 1'000; ++i) head.headers.add("Link", std::string(10'000, 'u'));
    EXPECT_TRUE(link.session.respond(stream, head, has_body));
    link.settle();
    EXPECT_EQ(link.peer.response(stream).reset, Http2Error::kInternalError);
    EXPECT_EQ(link.events().size(), has_body ? 1u : 0u);
    EXPECT_EQ(link.session.open_streams(), 0u);
    const StreamId next = link.peer.get("/b");
    link.settle();
    link.answer(next, "still there");
    link.settle();
    EXPECT_EQ(link.peer.response(next).body, "still there");
  }
}

TEST(Http2Session, LeavesOutFieldsThatCouldEndTheirLine) {
  Http2Link link;
  const StreamId stream = link.peer.get("/a");
  link.settle();
  link.session.respond(stream, {204, {{"X-Bad", "a\r\nb"}, {"bad name", "c"}, {"X-Good", "d"}}, std::nullopt}, false);
  link.settle();
  EXPECT_EQ(link.peer.response(stream).headers.size(), 1u);
  EXPECT_EQ(link.peer.response(stream).headers.find("x-good"), "d");
}

TEST(Http2Session, TakesTheBodyOfAPost) {
  Http2Link link;
  const std::string body(200'000, 'b');
  link.peer.request("POST", "/a", {}, body);
  link.settle();
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Http2Request>(events[0]).request.body, body);
  EXPECT_EQ(link.session.held_bytes(), 0u);
}

TEST(Http2Session, CountsWhatIncompleteRequestsHold) {
  Http2Limits limits;
  Http2Link link(limits);
  link.to_server(http2_preface());
  Http2Link sender;
  sender.peer.request("POST", "/a", {}, std::string(30'000, 'b'));
  const std::string bytes = sender.peer.take();
  link.session.feed(std::as_bytes(std::span(bytes).subspan(http2_preface().size() + 6, 20'000)), link.now);
  EXPECT_GT(link.session.held_bytes(), 19'000u);
  EXPECT_EQ(link.session.oldest_incomplete(), link.now);
  EXPECT_TRUE(link.session.refuse_largest({base::ErrorCode::kOverloaded, "full", {}}));
  EXPECT_LT(link.session.held_bytes(), 100u);
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Http2Refusal>(events[0]).error.code, base::ErrorCode::kOverloaded);
  EXPECT_FALSE(link.session.refuse_largest({}));
}

TEST(Http2Session, AHeadThatIsNotWholeIsRefusedOnce) {
  Http2Link link;
  link.to_server(http2_preface() + http2_get(1, 0x1));  // CONTINUATION is to follow.
  EXPECT_TRUE(link.session.refuse_largest({base::ErrorCode::kOverloaded, "full", {}}));
  EXPECT_FALSE(link.session.refuse_largest({base::ErrorCode::kOverloaded, "full", {}}));
  EXPECT_TRUE(link.events().empty());
  link.to_server(http2_frame(Http2FrameType::kContinuation, 0x4, 1, ""));
  ASSERT_EQ(link.events().size(), 1u);
}

TEST(Http2Session, TrailersOfARequestMeanNothing) {
  Http2Link link;
  const StreamId stream = link.peer.request("POST", "/a", {}, "body");
  std::string bytes = link.peer.take();
  bytes[bytes.size() - 4 - 9 + 4] = 0;  // The last frame ends its stream no more,
  link.to_server(bytes);
  EXPECT_TRUE(link.requests().empty());
  link.to_server(http2_frame(Http2FrameType::kHeaders, 0x5, static_cast<std::uint32_t>(stream),
                             std::string("\x00\x03x-t\x01v", 7)));  // but trailers do.
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Http2Request>(events[0]).request.body, "body");
  EXPECT_FALSE(std::get<Http2Request>(events[0]).request.headers.has("x-t"));
}

TEST(Http2Session, RefusesWhatIsTooLargeAndLetsTheRestOfItGo) {
  Http2Limits limits;
  limits.request.max_body_bytes = 1'000;
  Http2Link link(limits);
  const StreamId stream = link.peer.request("POST", "/a", {}, std::string(500'000, 'b'));
  link.to_server();
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Http2Refusal>(events[0]).error.code, base::ErrorCode::kBodyTooLarge);
  link.answer(stream, "too large");
  link.settle();
  EXPECT_EQ(link.peer.response(stream).body, "too large");
  EXPECT_EQ(link.peer.response(stream).reset, Http2Error::kNoError);  // The client may stop sending.
  EXPECT_FALSE(link.peer.goaway().has_value());
}

TEST(Http2Session, RefusalsOfHeads) {
  Http2Limits limits;
  limits.request = {.max_uri_bytes = 20, .max_header_bytes = 600, .max_header_fields = 6, .max_body_bytes = 10};
  const auto refused = [&](const Headers& more, std::string_view path = "/a", std::string_view method = "GET",
                           std::optional<std::string> body = std::nullopt) {
    Http2Link link(limits);
    link.peer.request(method, path, more, std::move(body));
    link.settle();
    const auto events = link.events();
    EXPECT_EQ(events.size(), 1u);
    const auto* const refusal = events.empty() ? nullptr : std::get_if<Http2Refusal>(&events[0]);
    return refusal == nullptr ? "" : std::string(base::name_of(refusal->error.code));
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({}, "/aaaaaaaaaaaaaaaaaaaaaaaaa"), "uri_too_long");
  EXPECT_EQ(refused({{"x", std::string(600, 'x')}}), "headers_too_large");
  EXPECT_EQ(refused({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}, {"f", "6"}, {"g", "7"}}),
            "headers_too_large");
  EXPECT_EQ(refused({}, "/a#b"), "malformed_request");
  EXPECT_EQ(refused({}, "*", "OPTIONS"), "");
  EXPECT_EQ(refused({{"host", "other"}}), "malformed_request");
  EXPECT_EQ(refused({{"host", "LOCALHOST"}}), "");
  EXPECT_EQ(refused({{"content-length", "11"}}, "/a", "POST", "12345678901"), "body_too_large");
}

TEST(Http2Session, ARefusedHeadIsKnownAsOne) {
  Http2Link link;
  link.peer.request("HEAD", "/a#b");
  link.settle();
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(std::get<Http2Refusal>(events[0]).is_head);
}

TEST(Http2Session, RequestsThatAreNotHttpAreReset) {
  Http2Link link;
  const StreamId stream = link.peer.get("/a", {{"connection", "close"}});
  link.settle();
  EXPECT_TRUE(link.events().empty());
  EXPECT_EQ(link.peer.response(stream).reset, Http2Error::kProtocolError);
  EXPECT_EQ(link.session.counts().resets_sent, 1u);
}

TEST(Http2Session, AResetTakesTheRequestBack) {
  Http2Link link;
  const StreamId stream = link.peer.get("/a");
  link.settle();
  ASSERT_EQ(link.requests().size(), 1u);
  link.peer.reset(stream);
  link.settle();
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Http2Reset>(events[0]).stream, stream);
  EXPECT_FALSE(link.session.respond(stream, {200, {}, std::nullopt}, false));
  EXPECT_EQ(link.session.counts().resets_received, 1u);
}

TEST(Http2Session, ARequestThatIsTakenBackAtOnceNeverCame) {
  Http2Link link;
  const StreamId stream = link.peer.get("/a");
  const std::string request = link.peer.take();
  link.peer.reset(stream);
  link.to_server(request + link.peer.take());
  EXPECT_TRUE(link.events().empty());
  EXPECT_EQ(link.session.open_streams(), 0u);
}

TEST(Http2Session, StreamsBeyondTheLimitAreRefused) {
  Http2Limits limits;
  limits.max_streams = 2;
  Http2Link link(limits);
  for (int i = 0; i < 3; ++i) link.peer.get("/a");
  link.to_server();
  EXPECT_EQ(link.requests(), (std::vector<StreamId>{1, 3}));
  link.settle();
  EXPECT_EQ(link.peer.response(5).reset, Http2Error::kRefusedStream);
}

TEST(Http2Session, IncompleteRequestsExpire) {
  Http2Link link;
  link.to_server(http2_preface());
  // A POST that waits for its body, then a head that waits for its end.
  link.to_server(http2_frame(Http2FrameType::kHeaders, 0x4, 1, std::string("\x83\x86\x84\x41\x01x", 6)));
  EXPECT_EQ(link.session.oldest_incomplete(), link.now);
  link.session.expire_incomplete(link.now - std::chrono::seconds(1));
  EXPECT_EQ(link.session.open_streams(), 1u);
  link.session.expire_incomplete(link.now);
  EXPECT_EQ(link.session.open_streams(), 0u);
  EXPECT_FALSE(link.session.is_terminated());
  link.to_server(http2_frame(Http2FrameType::kHeaders, 0, 3, "\x83"));
  link.session.expire_incomplete(link.now);
  EXPECT_TRUE(link.session.is_terminated());
  EXPECT_EQ(link.session.goodbye()->reason, "slow_head");
}

TEST(Http2Session, TheUpgradedRequestIsStreamOne) {
  Http2Link link;
  Request request;
  request.method = "GET";
  request.target = "/a";
  ASSERT_TRUE(link.session.upgrade(std::string("\x00\x04\x00\x00\x00\x0a", 6), std::move(request)));
  link.to_server(http2_preface());
  EXPECT_EQ(link.requests(), std::vector<StreamId>{1});
  link.answer(1, std::string(25, 'x'));
  link.produce();
  ASSERT_EQ(link.produced.size(), 1u);
  EXPECT_EQ(link.produced[0].bytes, 10u);  // As large as the window that came with the request.
  EXPECT_TRUE(link.session.is_blocked(1));
}

TEST(Http2Session, SettingsOfTheUpgradeHaveToBeValid) {
  Http2Link link;
  EXPECT_FALSE(link.session.upgrade("abc", {}));
}

TEST(Http2Session, LeavesInTwoSteps) {
  Http2Link link;
  const std::string get("\x82\x86\x84\x41\x01x", 6);
  link.peer.get("/a");
  link.settle();
  ASSERT_EQ(link.requests(), std::vector<StreamId>{1});
  link.session.announce_end();
  link.settle();
  EXPECT_EQ(link.peer.goaway_stream(), 0x7fffffff);
  link.to_server(http2_frame(Http2FrameType::kHeaders, 0x5, 3, get));  // Was on its way.
  EXPECT_EQ(link.requests(), std::vector<StreamId>{3});
  link.session.end("drain");
  link.settle();
  EXPECT_EQ(link.peer.goaway_stream(), 3);
  EXPECT_EQ(link.peer.goaway(), Http2Error::kNoError);
  EXPECT_FALSE(link.session.is_over());
  link.to_server(http2_frame(Http2FrameType::kHeaders, 0x5, 5, get));
  EXPECT_TRUE(link.events().empty());
  link.answer(1, "answer");
  link.settle();
  EXPECT_EQ(link.peer.response(1).body, "answer");
  EXPECT_FALSE(link.session.is_over());
  ASSERT_TRUE(link.session.respond(3, {204, {}, std::nullopt}, false));
  link.produce();
  EXPECT_TRUE(link.session.is_over());
  EXPECT_EQ(link.session.goodbye()->reason, "drain");
}

TEST(Http2Session, BytesThatAreNotHttp2EndTheConnection) {
  Http2Link link;
  link.to_server("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(link.session.is_terminated());
  link.produce();
  EXPECT_TRUE(link.session.is_over());
  EXPECT_EQ(link.session.goodbye()->reason, "protocol_error");
}

TEST(Http2Session, TellsWhenTheHandshakeIsThrough) {
  Http2Link link;
  EXPECT_FALSE(link.session.has_settings());
  link.to_server(http2_preface());
  EXPECT_TRUE(link.session.has_settings());
  EXPECT_FALSE(link.session.has_acknowledged());
  link.to_server(http2_frame(Http2FrameType::kSettings, Http2FrameHead::kAck, 0, ""));
  EXPECT_TRUE(link.session.has_acknowledged());
}

}  // namespace
}  // namespace optimux::http
