// In which order a session sends: the traps of deferring streams in nghttp2, client signals, phases.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/http/http2_link.hpp"

namespace optimux::http {
namespace {

using base::Phase;

/// `count` requests that have come, by stream.
std::vector<StreamId> open(Http2Link& link, int count, const Headers& more = {}) {
  for (int i = 0; i < count; ++i) link.peer.get("/a", more);
  link.to_server();
  return link.requests();
}

/// The streams of the body frames that were produced, repetitions left out.
std::vector<StreamId> order(const Http2Link& link) {
  std::vector<StreamId> streams;
  for (const Http2Produced& produced : link.produced) {
    if (streams.empty() || streams.back() != produced.stream) streams.push_back(produced.stream);
  }
  return streams;
}

TEST(Http2Order, OneStreamAfterAnotherWithoutAnybodyStalling) {
  Http2Link link({}, {.initial_window = 1 << 20});
  link.settle();
  link.peer.open_window(0, 1 << 24);
  const auto streams = open(link, 100);
  ASSERT_EQ(streams.size(), 100u);
  for (const StreamId stream : streams) link.answer(stream, std::string(20'000, 'x'));
  link.produce();
  EXPECT_EQ(order(link), streams);
  EXPECT_EQ(link.session.open_streams(), 0u);
  link.settle();
  for (const StreamId stream : streams) EXPECT_EQ(link.peer.response(stream).body.size(), 20'000u);
}

TEST(Http2Order, TheFirstFrameIsAlreadyThatOfTheMostUrgent) {
  Http2Link link;
  link.peer.get("/background", {{"priority", "u=7"}});
  link.peer.get("/urgent", {{"priority", "u=0"}});
  link.to_server();
  link.requests();
  link.answer(1, std::string(1'000, 'b'));
  link.answer(3, std::string(1'000, 'u'));
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{3, 1}));
}

TEST(Http2Order, AStreamWithoutAWindowHoldsNobodyUp) {
  Http2Link link({}, {.initial_window = 0});
  link.settle();
  const auto streams = open(link, 3);
  for (const StreamId stream : streams) link.answer(stream, "body");
  link.produce();
  EXPECT_TRUE(link.produced.empty());
  EXPECT_TRUE(link.session.is_blocked(1));
  EXPECT_FALSE(link.session.is_window_closed());
  link.peer.open_window(3, 100);
  link.to_server();
  link.produce();
  EXPECT_EQ(order(link), std::vector<StreamId>{3});
  link.peer.set_initial_window(10);
  link.to_server();
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{3, 1, 5}));
}

TEST(Http2Order, AStreamThatMaySendAgainStillWaitsForItsTurn) {
  Http2Link link({}, {.initial_window = 10});
  link.settle();
  link.peer.get("/background", {{"priority", "u=7"}});
  link.to_server();
  link.requests();
  link.answer(1, std::string(1'000, 'b'));
  link.produce();
  EXPECT_EQ(link.produced.size(), 1u);
  EXPECT_TRUE(link.session.is_blocked(1));
  link.peer.get("/urgent", {{"priority", "u=0"}});
  link.to_server();
  link.requests();
  link.answer(3, std::string(1'000, 'u'));
  link.peer.open_window(1, 1'000);
  link.peer.open_window(3, 1'000);
  link.to_server();
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{1, 3, 1}));
}

TEST(Http2Order, AClosedConnectionIsNoBlockedStream) {
  Http2Link link({}, {.initial_window = 1 << 20, .opens_windows = false});
  link.settle();
  open(link, 2);
  link.answer(1, std::string(60'000, 'a'));
  link.answer(3, std::string(60'000, 'b'));
  link.produce();
  std::size_t sent = 0;
  for (const Http2Produced& produced : link.produced) sent += produced.bytes;
  EXPECT_EQ(sent, 65'535u);
  EXPECT_TRUE(link.session.is_window_closed());
  EXPECT_FALSE(link.session.is_blocked(1));
  link.peer.get("/urgent", {{"priority", "u=0"}});
  link.to_server();
  link.requests();
  link.answer(5, "urgent");
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{1, 3}));
  link.peer.open_window(0, 1 << 20);
  link.to_server();
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{1, 3, 5, 3}));
  EXPECT_FALSE(link.session.is_window_closed());
}

TEST(Http2Order, ABodyThatComesInPiecesMakesNoEmptyFrames) {
  Http2Link link;
  open(link, 1);
  ASSERT_TRUE(link.session.respond(1, {200, {}, std::nullopt}, true));
  for (int i = 0; i < 5; ++i) {
    link.settle();
    link.session.supply(1, supply_of("part", false));
  }
  link.settle();
  EXPECT_EQ(link.peer.data_frames().size(), 5u);
  EXPECT_FALSE(link.peer.response(1).is_ended);
  link.session.supply(1, supply_of("", true));
  link.settle();
  EXPECT_TRUE(link.peer.response(1).is_ended);
  EXPECT_EQ(link.peer.response(1).body, "partpartpartpartpart");
  EXPECT_EQ(link.peer.data_frames().size(), 6u);
  EXPECT_EQ(link.peer.data_frames().back().length, 0u);
}

TEST(Http2Order, WhatWasFramedOfAStreamThatIsResetGoesOutWhole) {
  Http2Link link;
  open(link, 2);
  auto body = std::make_unique<std::string>(40'000, 'a');
  ASSERT_TRUE(link.session.respond(1, {200, {}, std::nullopt}, true));
  link.session.supply(1, supply_of(*body, true));
  ASSERT_TRUE(link.session.produce(16'384, link.now));  // The heads,
  ASSERT_TRUE(link.session.produce(16'384, link.now));  // and a frame.
  link.peer.reset(1);
  link.to_server();
  body.reset();  // Whoever made the body is free to forget it now.
  ASSERT_EQ(link.events().size(), 1u);
  link.answer(3, "next");
  link.produce();
  link.to_client();
  EXPECT_EQ(link.peer.failure(), "");
  EXPECT_EQ(link.peer.response(3).body, "next");
}

TEST(Http2Order, EndingAStreamFromHereForgetsItsPieces) {
  Http2Link link;
  open(link, 1);
  auto body = std::make_unique<std::string>(40'000, 'a');
  ASSERT_TRUE(link.session.respond(1, {200, {}, std::nullopt}, true));
  link.session.supply(1, supply_of(*body, true));
  ASSERT_TRUE(link.session.produce(16'384, link.now));
  ASSERT_TRUE(link.session.produce(16'384, link.now));
  link.session.reset(1, Http2Error::kInternalError);
  body.reset();
  link.settle();
  EXPECT_EQ(link.peer.response(1).reset, Http2Error::kInternalError);
  EXPECT_EQ(link.peer.response(1).body, std::string(16'384, 'a'));
  EXPECT_TRUE(link.events().empty());  // Whoever asked for it knows.
}

TEST(Http2Order, WhatIsUrgentOvertakesAllThatIsNotInTheOutput) {
  Http2Link link;
  open(link, 1);
  link.answer(1, std::string(60'000, 'b'));
  for (int i = 0; i < 3; ++i) link.session.produce(1'000, link.now);
  const std::size_t framed = link.session.output().size();
  EXPECT_LT(framed, 2'300u);  // Heads, and two frames of no more than was asked for.
  link.peer.get("/urgent", {{"priority", "u=0"}});
  link.to_server();
  link.requests();
  link.answer(3, "urgent");
  link.produce();
  link.to_client();
  const auto frames = link.peer.data_frames();
  EXPECT_EQ(frames[0].stream, 1);
  EXPECT_EQ(frames[1].stream, 1);
  EXPECT_EQ(frames[2].stream, 3);
}

TEST(Http2Order, PiecesThatDoNotLastAreCopied) {
  Http2Link link;
  open(link, 1);
  ASSERT_TRUE(link.session.respond(1, {200, {}, std::nullopt}, true));
  auto body = std::make_unique<std::string>(10'000, 'a');
  Http2Supply supply = supply_of(*body, false);
  supply.is_lasting = false;
  link.session.supply(1, std::move(supply));
  link.produce();
  body.reset();
  link.to_client();
  EXPECT_EQ(link.peer.response(1).body, std::string(10'000, 'a'));
}

TEST(Http2Order, Rfc7540PrioritiesAreSwitchedOff) {
  Http2Link link;
  link.settle();
  EXPECT_EQ(link.peer.server_settings[9], 1u);
  EXPECT_EQ(link.peer.server_settings[3], Http2Limits().max_streams);
  EXPECT_EQ(link.peer.server_settings[6], 32'768u);
}

TEST(Http2Order, HeadsThenPreviewsThenTheRest) {
  Http2Link link({}, {.initial_window = 1 << 20});
  link.settle();
  link.peer.open_window(0, 1 << 24);
  const auto streams = open(link, 3, {{"priority", "i"}});
  for (const StreamId stream : streams) {
    link.answer_in_phases(stream, {{Phase::kHead, std::string(600, 'h')},
                                   {Phase::kFirst, std::string(3'000, 'f')},
                                   {Phase::kFull, std::string(3'000, 'r')}});
  }
  link.produce();
  const auto seen = order(link);
  ASSERT_GE(seen.size(), 6u);
  EXPECT_EQ(std::vector<StreamId>(seen.begin(), seen.begin() + 6), (std::vector<StreamId>{1, 3, 5, 1, 3, 5}));
}

TEST(Http2Order, PriorityUpdateReordersAStreamThatIsBeingSent) {
  Http2Link link;
  open(link, 2);
  link.answer(1, std::string(10'000, 'a'));
  link.answer(3, std::string(10'000, 'b'));
  link.session.produce(1'000, link.now);
  link.session.produce(1'000, link.now);
  link.peer.priority_update(3, "u=0");
  link.to_server();
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{3, 1}));
}

TEST(Http2Order, PriorityUpdateMayComeBeforeItsStream) {
  Http2Link link;
  link.peer.priority_update(3, "u=5");
  link.peer.priority_update(3, "u=0");
  link.to_server();
  open(link, 2, {{"priority", "u=4"}});
  link.answer(1, "a");
  link.answer(3, "b");
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{3, 1}));
}

TEST(Http2Order, ChromiumsPriorityFramesCount) {
  Http2Link link;
  open(link, 3, {{"priority", "i"}});
  link.peer.priority(5, 220, true);   // Has come into view.
  link.peer.priority(3, 220, false);  // Not as Chromium says it,
  link.peer.priority(3, 200, true);   // nor this.
  link.to_server();
  for (const StreamId stream : {1, 3, 5}) link.answer(stream, "x");
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{5, 1, 3}));
}

TEST(Http2Order, TheAnswerHasTheLastWordOnWhatItNames) {
  Http2Link link;
  open(link, 2, {{"priority", "u=2"}});
  ASSERT_TRUE(link.session.respond(1, {200, {{"Priority", "u=6"}}, std::nullopt}, true));
  link.session.supply(1, supply_of("a", true));
  link.answer(3, "b");
  link.produce();
  EXPECT_EQ(order(link), (std::vector<StreamId>{3, 1}));
}

TEST(Http2Order, WrongPrioritiesEndTheConnection) {
  const auto goodbye = [](const std::string& frame) {
    Http2Link link;
    link.settle();
    link.to_server(frame);
    return link.session.goodbye() ? link.session.goodbye()->error : Http2Error::kNoError;
  };
  const auto update = [](std::uint32_t on, const std::string& payload) {
    return http2_frame(Http2FrameType::kPriorityUpdate, 0, on, payload);
  };
  EXPECT_EQ(goodbye(update(0, std::string("\0\0\0\x01u=0", 7))), Http2Error::kNoError);
  EXPECT_EQ(goodbye(update(1, std::string("\0\0\0\x01u=0", 7))), Http2Error::kProtocolError);
  EXPECT_EQ(goodbye(update(0, std::string("\0\0\0\0u=0", 7))), Http2Error::kProtocolError);
  EXPECT_EQ(goodbye(update(0, std::string("\0\0\0\x02u=0", 7))), Http2Error::kProtocolError);
  EXPECT_EQ(goodbye(update(0, std::string("\0\0\0", 3))), Http2Error::kFrameSizeError);
  EXPECT_EQ(goodbye(http2_frame(Http2FrameType::kPriority, 0, 0, std::string("\x80\0\0\0\xdb", 5))),
            Http2Error::kProtocolError);
}

TEST(Http2Order, IdleStreamsWithAPriorityAreLimited) {
  Http2Limits limits;
  limits.max_streams = 3;
  Http2Link link(limits);
  link.settle();
  for (const StreamId stream : {1, 3, 5, 5, 3}) link.peer.priority_update(stream, "u=1");
  link.to_server();
  EXPECT_FALSE(link.session.is_terminated());
  link.peer.priority_update(7, "u=1");
  link.to_server();
  EXPECT_EQ(link.session.goodbye()->reason, "priority");
}

/// A hundred pictures at once: what is handed to the socket, frame by frame.
TEST(Http2Order, NoLaterPhaseGoesBeforeAnEarlierOneBeyondTheShareOfTheOthers) {
  Http2Link link({}, {.initial_window = 1 << 20});
  link.settle();
  link.peer.open_window(0, 1 << 28);
  const auto streams = open(link, 100, {{"priority", "i"}});
  std::map<StreamId, std::vector<std::size_t>> owed;  // Bytes by phase.
  for (const StreamId stream : streams) {
    const std::size_t size = 20'000 + static_cast<std::size_t>(stream) * 500;
    owed[stream] = {600, size / 8, size / 2, size / 3};
    std::vector<std::pair<Phase, std::string>> parts;
    for (std::size_t phase = 0; phase < 4; ++phase) {
      parts.emplace_back(static_cast<Phase>(phase), std::string(owed[stream][phase], 'x'));
    }
    link.answer_in_phases(stream, parts);
  }
  link.produce();
  std::size_t total = 0;
  std::size_t out_of_order = 0;
  for (const Http2Produced& produced : link.produced) {
    const auto rank_of = [](const std::vector<std::size_t>& phases) {
      return std::find_if(phases.begin(), phases.end(), [](std::size_t bytes) { return bytes > 0; }) - phases.begin();
    };
    const auto rank = rank_of(owed[produced.stream]);
    const bool is_early =
        std::any_of(owed.begin(), owed.end(), [&](const auto& entry) { return rank_of(entry.second) < rank; });
    total += produced.bytes;
    if (is_early) out_of_order += produced.bytes;
    auto& left = owed[produced.stream][static_cast<std::size_t>(rank)];
    ASSERT_LE(produced.bytes, left) << "a frame reaches over the end of a phase";
    left -= produced.bytes;
  }
  EXPECT_GT(total, 4'000'000u);
  EXPECT_LE(out_of_order, total / 16 + StreamScheduler::kQuantum);
}

}  // namespace
}  // namespace optimux::http
