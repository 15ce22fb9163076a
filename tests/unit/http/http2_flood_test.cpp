// What a client can do at little cost to itself, and where it ends. Each attack ends the session with a goodbye that
// names it, in less than its limit plus one, and leaves nothing behind that is held.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "unit/http/http2_link.hpp"

namespace optimux::http {
namespace {

/// The error of the GOAWAY among frames that a server has sent.
std::optional<Http2Error> goaway_in(std::string_view bytes) {
  constexpr std::size_t kHead = 9;
  std::optional<Http2Error> error;
  while (bytes.size() >= kHead) {
    const auto at = [bytes](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
    if (bytes[3] == static_cast<char>(Http2FrameType::kGoaway)) error = static_cast<Http2Error>(at(kHead + 7));
    bytes.remove_prefix(kHead + (at(0) << 16 | at(1) << 8 | at(2)));
  }
  return error;
}

struct Outcome {
  std::string reason;
  Http2Error error = Http2Error::kNoError;
  int rounds = 0;              ///< Until the connection was ended; 100,000 if it was not.
  std::size_t handed_out = 0;  ///< Requests that somebody began to work on.
  std::size_t open = 0;
};

/// Repeats what `attack` gives for each round, with a client that reads all it is sent. Some attacks need a client that
/// does not acknowledge the server's SETTINGS.
Outcome run(const std::function<std::string(int round)>& attack, bool acknowledges = true) {
  Http2Link link;
  link.to_server(http2_preface());
  if (acknowledges) link.to_server(http2_frame(Http2FrameType::kSettings, Http2FrameHead::kAck, 0, ""));
  std::string sent;
  Outcome outcome;
  while (outcome.rounds < 100'000 && !link.session.is_terminated()) {
    link.to_server(attack(outcome.rounds++));
    for (const Http2Event& event : link.events())
      outcome.handed_out += std::holds_alternative<Http2Request>(event) ? 1 : 0;
    link.produce();
    for (const auto& piece : link.session.output().front(1'000)) {
      sent.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
    link.session.output().take(link.session.output().size());
  }
  outcome.open = link.session.open_streams();
  if (const auto& goodbye = link.session.goodbye()) {
    outcome.reason = goodbye->reason;
    outcome.error = goodbye->error;
    EXPECT_EQ(goaway_in(sent), goodbye->error);
    EXPECT_TRUE(link.session.is_over());
  }
  return outcome;
}

TEST(Http2Flood, RapidReset) {
  const Outcome outcome = run([](int round) { return http2_get(2 * round + 1) + http2_reset(2 * round + 1); });
  EXPECT_EQ(outcome.reason, "flood_resets");
  EXPECT_EQ(outcome.error, Http2Error::kEnhanceYourCalm);
  EXPECT_EQ(outcome.rounds, 513);
  EXPECT_EQ(outcome.handed_out, 0u);  // What is taken back at once costs no work.
}

TEST(Http2Flood, MadeYouResetByWindowOverflow) {
  const Outcome outcome =
      run([](int round) { return http2_get(2 * round + 1) + http2_window_update(2 * round + 1, 0x7fffffff); });
  EXPECT_EQ(outcome.reason, "flood_errors");
  EXPECT_LE(outcome.rounds, 102);
}

TEST(Http2Flood, MadeYouResetByContentLength) {
  const Outcome outcome = run([](int round) {
    const auto stream = static_cast<std::uint32_t>(2 * round + 1);
    // content-length: 9, and a body of one byte.
    return http2_frame(Http2FrameType::kHeaders, 0x4, stream,
                       std::string("\x83\x86\x84\x41\x01x\x0f\x0d\x01\x39", 10)) +
           http2_frame(Http2FrameType::kData, 0x1, stream, "x");
  });
  EXPECT_EQ(outcome.reason, "flood_errors");
  EXPECT_LE(outcome.rounds, 102);
  EXPECT_EQ(outcome.handed_out, 0u);
}

TEST(Http2Flood, StreamsBeyondTheLimit) {
  const auto attack = [](int round) { return http2_get(2 * round + 1); };
  const Outcome unaware = run(attack, false);  // Each is refused, because the client may not know the limit yet.
  EXPECT_EQ(unaware.reason, "flood_errors");
  EXPECT_LE(unaware.rounds, 256 + 102);
  EXPECT_EQ(unaware.handed_out, 256u);
  const Outcome knowing = run(attack);
  EXPECT_EQ(knowing.reason, "protocol_error");
  EXPECT_EQ(knowing.rounds, 257);
}

TEST(Http2Flood, RefusedStreamsThatNobodyReadsOf) {
  Http2Link link;
  link.to_server(http2_preface());
  int rounds = 0;
  for (; rounds < 1'000 && !link.session.is_terminated(); ++rounds) link.to_server(http2_get(2 * rounds + 1));
  EXPECT_LE(rounds, 256 + 102);
  EXPECT_EQ(link.session.goodbye().value_or(Http2Goodbye{}).reason, "flood_errors");
}

TEST(Http2Flood, FieldsThatUnpackToMuch) {
  // A field of 4,000 bytes that is kept in the table, and named again by one byte each.
  const std::string field = std::string("\x40\x01y\x7f\xa1\x1e", 6) + std::string(4'000, 'v');
  const std::string fields = field + std::string(10'000, '\xbe');
  const auto head = [](std::uint8_t flags, StreamId stream, const std::string& block) {
    return http2_frame(Http2FrameType::kHeaders, flags, static_cast<std::uint32_t>(stream), block);
  };
  const std::string begin("\x82\x86\x84\x41\x01x", 6);
  const Outcome request = run([&](int round) { return head(0x5, 2 * round + 1, begin + fields); });
  EXPECT_EQ(request.reason, "flood_fields");
  EXPECT_EQ(request.error, Http2Error::kEnhanceYourCalm);
  EXPECT_EQ(request.rounds, 1);
  EXPECT_EQ(request.handed_out, 0u);
  const Outcome trailers = run([&](int) { return http2_get(1, 0x4) + head(0x5, 1, fields); });
  EXPECT_EQ(trailers.reason, "flood_fields");
  EXPECT_EQ(trailers.rounds, 1);
}

TEST(Http2Flood, WhatIsTooLongForOneHeadIsNoFlood) {
  Http2Link link;
  const StreamId stream = link.peer.get("/a", {{"x", std::string(50'000, 'x')}});
  link.settle();
  const auto events = link.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Http2Refusal>(events[0]).stream, stream);
  for (int i = 0; i < 20; ++i) link.peer.get("/b", {{"x", std::string(20'000, 'x')}});  // All of them would be one.
  link.settle();
  EXPECT_EQ(link.requests().size(), 20u);
}

TEST(Http2Flood, Continuations) {
  const Outcome outcome = run([](int round) {
    const auto type = round == 0 ? Http2FrameType::kHeaders : Http2FrameType::kContinuation;
    return http2_frame(type, 0, 1, std::string("\x00\x01x\x01y", 5));
  });
  EXPECT_EQ(outcome.reason, "flood_continuations");
  EXPECT_EQ(outcome.rounds, 10);
}

TEST(Http2Flood, PingAndSettingsThatAreAnswered) {
  const Outcome pings = run([](int) { return http2_frame(Http2FrameType::kPing, 0, 0, std::string(8, 'p')); });
  EXPECT_EQ(pings.reason, "flood_control");
  EXPECT_LE(pings.rounds, 101);
  const Outcome settings = run([](int) { return http2_frame(Http2FrameType::kSettings, 0, 0, ""); });
  EXPECT_EQ(settings.reason, "flood_control");
  const Outcome unknown = run([](int) { return http2_frame(static_cast<Http2FrameType>(0xfa), 0, 0, "x"); });
  EXPECT_EQ(unknown.reason, "flood_control");
}

TEST(Http2Flood, PingsWhoseAnswersNobodyReads) {
  Http2Limits limits;
  limits.floods.control = {1'000'000, 1};
  Http2Link link(limits);
  link.settle();
  for (int i = 0; i < 1'000 && !link.session.is_terminated(); ++i) {
    link.to_server(http2_frame(Http2FrameType::kPing, 0, 0, std::string(8, 'p')));
  }
  EXPECT_TRUE(link.session.is_terminated());
  link.produce();
  EXPECT_LT(link.session.output().size(), 201u * 17 + 100);
}

TEST(Http2Flood, SettingsOfManyEntries) {
  Http2Link link;
  link.settle();
  std::string entries;
  for (int i = 0; i < 40; ++i) entries += std::string("\x00\x04\x00\x00\xff\xff", 6);
  link.to_server(http2_frame(Http2FrameType::kSettings, 0, 0, entries));
  link.produce();
  link.to_client();
  EXPECT_EQ(link.peer.goaway(), Http2Error::kEnhanceYourCalm);
  EXPECT_EQ(link.session.goodbye()->reason, "enhance_your_calm");
}

TEST(Http2Flood, EmptyData) {
  const Outcome outcome = run(
      [](int round) { return (round == 0 ? http2_get(1, 0x4) : "") + http2_frame(Http2FrameType::kData, 0, 1, ""); });
  EXPECT_EQ(outcome.reason, "flood_empty_data");
  EXPECT_EQ(outcome.rounds, 101);
  const Outcome padding = run([](int round) {
    return (round == 0 ? http2_get(1, 0x4) : "") +
           http2_frame(Http2FrameType::kData, 0x8, 1, std::string("\x02\0\0", 3));
  });
  EXPECT_EQ(padding.reason, "flood_empty_data");
  EXPECT_EQ(padding.rounds, 101);
}

TEST(Http2Flood, WindowsOfOneByte) {
  const Outcome connection = run([](int) { return http2_window_update(0, 1); });
  EXPECT_EQ(connection.reason, "flood_window_updates");
  EXPECT_LE(connection.rounds, 1'001);
  const Outcome stream = run([](int round) { return (round == 0 ? http2_get(1) : "") + http2_window_update(1, 1); });
  EXPECT_EQ(stream.reason, "flood_window_updates");
}

TEST(Http2Flood, PriorityChurn) {
  const Outcome frames =
      run([](int) { return http2_frame(Http2FrameType::kPriority, 0, 1, std::string("\x80\x00\x00\x00\xdb", 5)); });
  EXPECT_EQ(frames.reason, "flood_priorities");
  EXPECT_LE(frames.rounds, 1'001);
  const Outcome updates =
      run([](int) { return http2_frame(Http2FrameType::kPriorityUpdate, 0, 0, std::string("\0\0\0\x01u=1", 7)); });
  EXPECT_EQ(updates.reason, "flood_priorities");
}

TEST(Http2Flood, WhatABrowserDoesIsNoFlood) {
  Http2Link link({}, {.initial_window = 6'291'456});
  link.settle();
  link.peer.open_window(0, 15'663'105);
  for (int page = 0; page < 20; ++page) {
    link.now += std::chrono::seconds(2);
    std::vector<StreamId> streams;
    for (int i = 0; i < 100; ++i) streams.push_back(link.peer.get("/a", {{"priority", "i"}}));
    link.to_server();
    ASSERT_EQ(link.requests().size(), 100u);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      link.peer.priority(streams[i], 220, true);
      link.peer.priority(streams[i], 147, true);
      link.answer(streams[i], std::string(30'000, 'x'));
      link.peer.open_window(streams[i], 12'000'000);
      if (i >= 50 && page % 4 == 0) link.peer.reset(streams[i]);  // Half of the page is left.
    }
    link.peer.ping();
    for (int i = 0; i < 20; ++i) link.settle();
    link.events();
    ASSERT_FALSE(link.session.is_terminated()) << link.session.goodbye()->reason << " on page " << page;
  }
}

}  // namespace
}  // namespace optimux::http
