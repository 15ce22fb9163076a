// What an HTTP/2 connection does not wait for for ever, and what it takes no more of.
#include "server/http2_limits.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/server/http2_stage.hpp"

namespace optimux::server {
namespace {

using http::Http2Error;
using http::Http2FrameType;
using std::chrono::milliseconds;

constexpr std::string_view kAsset = "/optimux/assets/photo.jpg?sizes=300x0";

TEST(Http2Limits, EverySettingHasItsPlace) {
  ServerSettings settings;
  std::uint32_t value = 1'000;
  for (auto* const setting :
       {&settings.http2_max_streams, &settings.http2_max_settings_entries, &settings.http2_max_queued_acks,
        &settings.http2_reset_burst, &settings.http2_reset_rate, &settings.http2_error_burst,
        &settings.http2_error_rate, &settings.http2_control_burst, &settings.http2_control_rate,
        &settings.http2_empty_data_burst, &settings.http2_empty_data_rate, &settings.http2_window_update_burst,
        &settings.http2_window_update_rate, &settings.http2_priority_burst, &settings.http2_priority_rate,
        &settings.http2_max_continuations}) {
    *setting = ++value;
  }
  const auto limits = http2_limits_of(settings);
  value = 1'000;
  const auto& floods = limits.floods;
  for (const std::uint32_t limit :
       {limits.max_streams, limits.max_settings_entries, limits.max_queued_acks, floods.resets.burst,
        floods.resets.per_second, floods.errors.burst, floods.errors.per_second, floods.control.burst,
        floods.control.per_second, floods.empty_data.burst, floods.empty_data.per_second, floods.window_updates.burst,
        floods.window_updates.per_second, floods.priorities.burst, floods.priorities.per_second,
        floods.max_continuations}) {
    EXPECT_EQ(limit, ++value);
  }
}

TEST(Http2Limits, DefaultsAreThoseOfTheSession) {
  const auto limits = http2_limits_of(ServerSettings());
  const http::Http2Limits defaults;
  EXPECT_EQ(limits.max_streams, defaults.max_streams);
  EXPECT_EQ(limits.max_settings_entries, defaults.max_settings_entries);
  EXPECT_EQ(limits.max_queued_acks, defaults.max_queued_acks);
  EXPECT_EQ(limits.floods.resets.burst, defaults.floods.resets.burst);
  EXPECT_EQ(limits.floods.errors.per_second, defaults.floods.errors.per_second);
  EXPECT_EQ(limits.floods.control.burst, defaults.floods.control.burst);
  EXPECT_EQ(limits.floods.empty_data.burst, defaults.floods.empty_data.burst);
  EXPECT_EQ(limits.floods.window_updates.burst, defaults.floods.window_updates.burst);
  EXPECT_EQ(limits.floods.priorities.burst, defaults.floods.priorities.burst);
  EXPECT_EQ(limits.floods.max_continuations, defaults.floods.max_continuations);
}

TEST(Http2Limits, AClientWithoutAPrefaceIsLetGo) {
  ServerSettings settings;
  settings.http2_preface_timeout = milliseconds(1);
  Http2Stage stage(settings);
  stage.wire.is_mute = true;
  stage.start();
  EXPECT_TRUE(stage.settle_until([&] { return stage.is_closed(); }));
  EXPECT_NE(stage.metrics().find("optimux_http2_goaways_total{reason=\"no_preface\"} 1"), std::string::npos);
}

TEST(Http2Limits, AClientThatDoesNotAcknowledgeTheSettingsIsLetGo) {
  ServerSettings settings;
  settings.http2_settings_timeout = milliseconds(1);
  Http2Stage stage(settings);
  stage.wire.is_mute = true;
  stage.wire.input = http::http2_preface();
  stage.start();
  EXPECT_TRUE(stage.settle_until([&] { return stage.is_closed(); }));
  EXPECT_EQ(stage.peer.goaway(), Http2Error::kSettingsTimeout);
}

TEST(Http2Limits, AnIdleConnectionEndsInPeace) {
  ServerSettings settings;
  settings.idle_timeout = milliseconds(1);
  Http2Stage stage(settings);
  stage.start();
  EXPECT_TRUE(stage.settle_until([&] { return stage.is_closed(); }));
  EXPECT_EQ(stage.peer.goaway(), Http2Error::kNoError);
  EXPECT_NE(stage.metrics().find("reason=\"idle\"} 1"), std::string::npos);
}

TEST(Http2Limits, ARequestThatDoesNotBecomeWholeIsReset) {
  ServerSettings settings;
  settings.header_timeout = milliseconds(1);
  Http2Stage stage(settings);
  stage.start();
  // A POST whose body never comes.
  stage.wire.is_mute = true;
  stage.wire.input = http::http2_frame(Http2FrameType::kHeaders, 0x4, 1, std::string("\x83\x86\x84\x41\x01x", 6));
  const auto was_reset = [&] {
    return stage.metrics().find("optimux_http2_resets_total{by=\"server\"} 1") != std::string::npos;
  };
  EXPECT_TRUE(stage.settle_until(was_reset));
  EXPECT_FALSE(stage.is_closed());
}

TEST(Http2Limits, AStreamWhoseWindowStaysClosedIsReset) {
  ServerSettings settings;
  settings.write_stall_timeout = milliseconds(1);
  Http2Stage stage(settings, {.initial_window = 0});
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  const auto head = stage.peer.request("HEAD", kAsset);
  EXPECT_TRUE(stage.settle_until([&] { return stage.response(stream).reset.has_value(); }));
  EXPECT_EQ(stage.response(stream).reset, Http2Error::kCancel);
  EXPECT_EQ(stage.response(head).status, 200);
  EXPECT_FALSE(stage.is_closed());
}

TEST(Http2Limits, AStreamThatIsTakenByteByByteIsReset) {
  ServerSettings settings;
  settings.write_stall_timeout = milliseconds(5);
  settings.min_send_rate = 1'000'000'000;  // No machine takes turns of a byte at that rate.
  Http2Stage stage(settings, {.initial_window = 0, .opens_windows = false});
  stage.backend.set_content(std::string(100'000, 'x'));
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  const auto is_cut = [&] {
    if (!stage.response(stream).reset) stage.peer.open_window(stream, 1);
    return stage.response(stream).reset.has_value();
  };
  EXPECT_TRUE(stage.settle_until(is_cut));
}

TEST(Http2Limits, AnAnswerHasToBeThroughInTime) {
  ServerSettings settings;
  settings.max_send_time = milliseconds(1);
  Http2Stage stage(settings, {.initial_window = 10, .opens_windows = false});
  stage.start();
  stage.backend.set_content(std::string(1'000, 'x'));
  const auto stream = stage.peer.get(kAsset);
  EXPECT_TRUE(stage.settle_until([&] { return stage.response(stream).reset.has_value(); }));
}

TEST(Http2Limits, TimeInWhichAnAnswerIsMadeIsNotTheClients) {
  using std::chrono::steady_clock;
  ServerSettings settings;
  settings.max_send_time = milliseconds(500);
  Http2Stage stage(settings);
  stage.backend.hold_orders();
  stage.start();
  const auto stream = stage.peer.get(kAsset);
  stage.settle();
  auto& rendition = *stage.backend.next_order().renditions[0];
  server::start(rendition);
  append(*rendition.body(), "first ");
  const auto end = steady_clock::now() + 2 * settings.max_send_time;
  EXPECT_TRUE(stage.settle_until([&] { return steady_clock::now() > end; }));
  append(*rendition.body(), "last");
  rendition.body()->complete();
  stage.settle();
  EXPECT_EQ(stage.response(stream).body, "first last");
  EXPECT_TRUE(stage.response(stream).is_ended);
}

TEST(Http2Limits, UsualHeadsAreNeverRefusedForThoseOfOthers) {
  ServerSettings settings;
  settings.max_request_bytes_under_way = 1;
  Http2Stage stage(settings);
  stage.backend.hold_orders();
  stage.start();
  for (int i = 0; i < 200; ++i) stage.peer.get(kAsset, {{"x", std::string(1'000, 'x')}});
  stage.settle();
  EXPECT_EQ(stage.backend.opened(), 200);
}

TEST(Http2Limits, AConnectionWhoseWindowStaysClosedEnds) {
  ServerSettings settings;
  settings.write_stall_timeout = milliseconds(1);
  Http2Stage stage(settings, {.initial_window = 1 << 20, .opens_windows = false});
  stage.backend.set_content(std::string(100'000, 'x'));
  stage.start();
  stage.peer.get(kAsset);
  EXPECT_TRUE(stage.settle_until([&] { return stage.is_closed(); }));
  EXPECT_EQ(stage.peer.goaway(), Http2Error::kEnhanceYourCalm);
  EXPECT_NE(stage.metrics().find("reason=\"stalled\"} 1"), std::string::npos);
}

TEST(Http2Limits, WhatIsSentBesideTheBodiesKeepsNoStalledConnection) {
  ServerSettings settings;
  settings.write_stall_timeout = milliseconds(300);
  settings.min_send_rate = 1;  // Any byte would give back all of the time.
  Http2Stage stage(settings, {.initial_window = 1 << 20, .opens_windows = false});
  stage.backend.set_content(std::string(100'000, 'x'));
  stage.start();
  stage.peer.get(kAsset);
  const auto is_closed = [&] {
    if (!stage.is_closed()) stage.peer.request("HEAD", "/optimux/ping");
    return stage.is_closed();
  };
  EXPECT_TRUE(stage.settle_until(is_closed));
  EXPECT_NE(stage.metrics().find("reason=\"stalled\"} 1"), std::string::npos);
}

TEST(Http2Limits, AConnectionThatNobodyReadsEnds) {
  ServerSettings settings;
  settings.write_stall_timeout = milliseconds(1);
  Http2Stage stage(settings);
  stage.start();
  stage.wire.is_stuck = true;
  stage.peer.get(kAsset);
  EXPECT_TRUE(stage.settle_until([&] { return stage.is_closed(); }));
}

TEST(Http2Limits, AFloodEndsItsConnectionAndDisturbsNoOther) {
  Http2Stage stage;
  stage.start();
  std::string flood;
  for (int i = 0; i < 1'000; ++i) flood += http::http2_frame(Http2FrameType::kPing, 0, 0, "12345678");
  stage.wire.input = flood;
  stage.settle();
  EXPECT_TRUE(stage.settle_until([&] { return stage.is_closed(); }));
  EXPECT_EQ(stage.peer.goaway(), Http2Error::kEnhanceYourCalm);
  EXPECT_NE(stage.log.wait_for("connection ended").find("reason=flood_control"), std::string::npos);
  EXPECT_NE(stage.metrics().find("reason=\"flood_control\"} 1"), std::string::npos);
}

TEST(Http2Limits, RapidResetMakesNoRequests) {
  Http2Stage stage;
  stage.start();
  std::string flood;
  for (std::uint32_t stream = 1; stream < 2'000; stream += 2) {
    flood += http::http2_frame(Http2FrameType::kHeaders, 0x5, stream, std::string("\x82\x86\x84\x41\x01x", 6));
    flood += http::http2_frame(Http2FrameType::kRstStream, 0, stream, std::string("\0\0\0\x08", 4));
  }
  stage.wire.input = flood;
  EXPECT_TRUE(stage.settle_until([&] { return stage.is_closed(); }));
  EXPECT_EQ(stage.peer.goaway(), Http2Error::kEnhanceYourCalm);
  EXPECT_EQ(stage.backend.opened(), 0);
}

}  // namespace
}  // namespace optimux::server
