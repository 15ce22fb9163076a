// The life of a stream (RFC 9113, section 5.1): what may come when, and which of it the client could not know better.
#include <string>

#include <gtest/gtest.h>

#include "unit/http/http2_dialogue.hpp"

namespace optimux::http {
namespace {

constexpr std::uint8_t kEndHeaders = 0x4;
constexpr std::uint8_t kEndStream = 0x1;

std::string fate_after(std::string_view bytes, StreamId stream = 0) {
  return Http2Dialogue().say(bytes).fate_of(stream);
}

std::string continuation(StreamId stream) {
  return http2_frame(Http2FrameType::kContinuation, kEndHeaders, static_cast<std::uint32_t>(stream), hpack_get());
}

std::string priority(StreamId stream) {
  return http2_frame(Http2FrameType::kPriority, 0, static_cast<std::uint32_t>(stream), std::string("\0\0\0\0\x0f", 5));
}

TEST(Http2StreamStates, AStreamIsOpenedByHeadersAlone) {
  EXPECT_EQ(fate_after(http2_data(1, "x")), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_reset(1)), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_window_update(1, 100)), "goaway protocol_error");
  EXPECT_EQ(fate_after(continuation(1)), "goaway protocol_error");
  EXPECT_EQ(fate_after(priority(1) + http2_get(1), 1), "answered");
}

TEST(Http2StreamStates, NothingOfARequestFollowsItsEndWhileItIsAnswered) {
  for (const std::string& more : {http2_data(1, "x"), http2_get(1), http2_headers(1, hpack_literal("a", "b"))}) {
    Http2Dialogue dialogue;
    dialogue.hold_answers();
    EXPECT_EQ(dialogue.say(http2_get(1) + more).fate(), "goaway stream_closed");
  }
  Http2Dialogue dialogue;
  dialogue.hold_answers();
  EXPECT_EQ(dialogue.say(http2_get(1) + continuation(1)).fate(), "goaway protocol_error");
}

TEST(Http2StreamStates, WhileItIsAnsweredWindowsPrioritiesAndResetsMayCome) {
  EXPECT_EQ(Http2Dialogue().say(http2_get(1) + http2_window_update(1, 100) + priority(1)).fate_of(1), "answered");
  Http2Dialogue dialogue;
  dialogue.hold_answers();
  dialogue.say(http2_get(1) + http2_reset(1) + http2_get(3));
  EXPECT_EQ(dialogue.fate(), "");
  dialogue.answer(3);
  EXPECT_EQ(dialogue.fate_of(3), "answered");
}

TEST(Http2StreamStates, NothingOfARequestFollowsBothEnds) {
  for (const std::string& more : {http2_data(1, "x"), http2_get(1), http2_data(1, "", false)}) {
    Http2Dialogue dialogue;
    dialogue.say(http2_get(1));
    ASSERT_EQ(dialogue.fate_of(1), "answered");
    EXPECT_EQ(dialogue.say(more).fate(), "goaway stream_closed");
    EXPECT_EQ(dialogue.session().goodbye()->reason, "stream_closed");
  }
  Http2Dialogue dialogue;
  EXPECT_EQ(dialogue.say(http2_get(1)).say(continuation(1)).fate(), "goaway protocol_error");
}

TEST(Http2StreamStates, AnAnswerMayEndWithoutTheClientKnowing) {
  Http2Dialogue dialogue;
  dialogue.say(http2_get(1));
  dialogue.say(http2_window_update(1, 100) + priority(1) + http2_reset(1) + http2_reset(1));
  EXPECT_EQ(dialogue.say(http2_get(3)).fate_of(3), "answered");
}

TEST(Http2StreamStates, NothingOfARequestFollowsItsReset) {
  for (const std::string& more : {http2_data(1, "x"), http2_get(1), http2_get(1, kEndHeaders)}) {
    Http2Dialogue dialogue;
    dialogue.say(http2_get(1, kEndHeaders) + http2_reset(1) + more + http2_get(3));
    EXPECT_EQ(dialogue.fate_of(1), "reset stream_closed");
    EXPECT_EQ(dialogue.fate_of(3), "answered");  // No other request has to suffer for it.
  }
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + http2_reset(1) + continuation(1)), "goaway protocol_error");
  EXPECT_EQ(fate_after(
                http2_get(1, kEndHeaders) + http2_reset(1) + http2_window_update(1, 1) + priority(1) + http2_get(3), 3),
            "answered");
}

TEST(Http2StreamStates, FramesAfterAResetAreAFlood) {
  Http2Dialogue dialogue;
  dialogue.say(http2_get(1, kEndHeaders) + http2_reset(1));
  int frames = 0;
  for (; frames < 1'000 && dialogue.fate().empty(); ++frames) dialogue.say(http2_data(1, "x", false));
  EXPECT_EQ(dialogue.session().goodbye()->reason, "flood_errors");
  EXPECT_EQ(frames, 101);
}

TEST(Http2StreamStates, TheyAreOneEvenIfNobodyReadsTheAnswers) {
  Http2Link link;
  link.to_server(http2_preface() + http2_get(1, kEndHeaders) + http2_reset(1));
  for (int i = 0; i < 101; ++i) link.to_server(http2_data(1, "x", false));
  ASSERT_TRUE(link.session.is_terminated());
  EXPECT_EQ(link.session.goodbye()->reason, "flood_errors");
}

/// A stream that is reset from here: what the client had sent before it heard of that is passed over, however it ends.
TEST(Http2StreamStates, WhatWasOnItsWayWhenAStreamWasResetIsPassedOver) {
  for (const std::string& rest :
       {http2_data(1, "body", false) + http2_data(1, "body"), http2_headers(1, hpack_literal("trailer", "x")),
        http2_data(1, "body", false) + http2_reset(1), http2_window_update(1, 100) + http2_data(1, "", true),
        http2_frame(Http2FrameType::kHeaders, kEndStream, 1, "") + continuation(1)}) {
    Http2Dialogue dialogue;
    dialogue.hold_answers();
    dialogue.say(http2_get(1, kEndHeaders));
    dialogue.session().reset(1, Http2Error::kCancel);
    dialogue.say("");
    ASSERT_EQ(dialogue.fate_of(1), "reset cancel");
    dialogue.say(rest + http2_get(3));
    EXPECT_EQ(dialogue.fate(), "");
    dialogue.answer(3);
    EXPECT_EQ(dialogue.fate_of(3), "answered");
  }
}

TEST(Http2StreamStates, EvenThenNothingFollowsTheEndOfTheRequest) {
  Http2Dialogue dialogue;
  dialogue.hold_answers();
  dialogue.say(http2_get(1, kEndHeaders));
  dialogue.session().reset(1, Http2Error::kCancel);
  dialogue.say(http2_data(1, "the rest"));
  EXPECT_EQ(dialogue.fate(), "");
  EXPECT_EQ(dialogue.say(http2_data(1, "and more")).fate(), "goaway stream_closed");
}

/// What is passed over changes the tables of HPACK all the same, and takes of the connection's window.
TEST(Http2StreamStates, WhatIsPassedOverKeepsTheConnectionInStep) {
  Http2Dialogue dialogue;
  dialogue.hold_answers();
  dialogue.say(http2_get(1, kEndHeaders));
  dialogue.session().reset(1, Http2Error::kCancel);
  // `x-a: b` enters the table of HPACK, behind the :authority of the first request,
  dialogue.say(http2_headers(1, std::string("\x40\x03x-a\x01") + "b"));
  dialogue.say(http2_headers(3, "\x82\x86\x84\xbf\xbe"));  // and both are of use now.
  EXPECT_EQ(dialogue.request(3).headers.find("x-a"), "b");
  EXPECT_EQ(dialogue.request(3).headers.find("host"), "x");
  dialogue.say(http2_get(5, kEndHeaders));
  dialogue.session().reset(5, Http2Error::kCancel);
  for (int i = 0; i < 20; ++i) dialogue.say(http2_data(5, std::string(16'384, 'x'), false));
  EXPECT_EQ(dialogue.fate(), "");
  EXPECT_FALSE(dialogue.frames(Http2FrameType::kWindowUpdate).empty());
}

TEST(Http2StreamStates, ClientsHaveTheOddNumbers) {
  EXPECT_EQ(fate_after(http2_get(2)), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(1) + http2_data(2, "x")), "goaway protocol_error");
}

TEST(Http2StreamStates, NumbersRise) {
  EXPECT_EQ(fate_after(http2_get(5) + http2_get(3)), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(5, kEndHeaders) + http2_data(3, "x")), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(5) + priority(3) + http2_get(7), 7), "answered");
}

TEST(Http2StreamStates, AnUpgradedRequestHasEnded) {
  Http2Dialogue dialogue(nullptr);
  dialogue.hold_answers();
  Request request;
  request.method = "GET";
  request.target = "/";
  ASSERT_TRUE(dialogue.session().upgrade("", std::move(request)));
  EXPECT_EQ(dialogue.say(http2_preface() + http2_data(1, "x")).fate(), "goaway stream_closed");
}

}  // namespace
}  // namespace optimux::http
