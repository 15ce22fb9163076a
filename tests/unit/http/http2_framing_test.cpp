// The rules of RFC 9113 for frames by themselves (sections 3.4, 4 and 6): what each kind needs, and what ends with the
// connection.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/http/http2_dialogue.hpp"

namespace optimux::http {
namespace {

using enum Http2FrameType;

constexpr std::uint8_t kPadded = 0x8;
constexpr std::uint8_t kHasPriority = 0x20;
constexpr std::uint8_t kEndHeaders = 0x4;
constexpr std::uint8_t kWholeRequest = 0x5;

std::string fate_after(std::string_view bytes, StreamId stream = 0) {
  return Http2Dialogue().say(bytes).fate_of(stream);
}

std::string bytes(std::initializer_list<unsigned char> list) {
  return {list.begin(), list.end()};
}

std::string setting(std::uint16_t id, std::uint32_t value) {
  std::string entry;
  for (const int shift : {8, 0}) entry += static_cast<char>(id >> shift);
  for (const int shift : {24, 16, 8, 0}) entry += static_cast<char>(value >> shift);
  return entry;
}

std::string settings(std::string_view entries) {
  return http2_frame(kSettings, 0, 0, entries);
}

TEST(Http2Framing, AWrongPrefaceEndsTheConnection) {
  Http2Dialogue dialogue(nullptr);
  dialogue.say("INVALID CONNECTION PREFACE\r\n\r\n");
  EXPECT_EQ(dialogue.fate(), "goaway protocol_error");
  Http2Dialogue late(nullptr);
  late.say("PRI * HTTP/2.0\r\n\r\nSM\r\n\rX");
  EXPECT_EQ(late.fate(), "goaway protocol_error");
}

TEST(Http2Framing, ThePrefaceEndsWithSettings) {
  Http2Dialogue dialogue(nullptr);
  dialogue.say(http2_preface().substr(0, Http2FrameWalker::kPrefaceBytes) + http2_get(1));
  EXPECT_EQ(dialogue.fate(), "goaway protocol_error");
}

TEST(Http2Framing, TheServerBeginsWithSettings) {
  Http2Dialogue dialogue(nullptr);
  dialogue.say(http2_preface());
  ASSERT_GE(dialogue.frames().size(), 2u);
  EXPECT_EQ(dialogue.frames()[0].head.type, kSettings);
  EXPECT_FALSE(dialogue.frames()[0].head.has(Http2FrameHead::kAck));
  EXPECT_EQ(dialogue.frames()[1].head.type, kSettings);
  EXPECT_TRUE(dialogue.frames()[1].head.has(Http2FrameHead::kAck));
}

TEST(Http2Framing, UnknownTypesFlagsAndReservedBitsMeanNothing) {
  EXPECT_EQ(fate_after(http2_frame(static_cast<Http2FrameType>(0x16), 0xff, 0, "12345678") + http2_get(1), 1),
            "answered");
  EXPECT_EQ(fate_after(http2_frame(static_cast<Http2FrameType>(0xff), 0, 1, "") + http2_get(1), 1), "answered");
  EXPECT_EQ(fate_after(http2_get(1, kWholeRequest | 0xd2), 1), "answered");
  EXPECT_EQ(fate_after(http2_frame(kPing, 0xfe, 0, "12345678") + http2_get(1), 1), "answered");
  EXPECT_EQ(fate_after(http2_frame(kPing, 0, 0x80000000, "12345678") + http2_get(1), 1), "answered");
}

TEST(Http2Framing, FramesUpToSixteenKilobytesAreTaken) {
  const std::string head = http2_headers(1, "\x83\x86\x84" + hpack_literal(":authority", "x"), false);
  EXPECT_EQ(fate_after(head + http2_data(1, std::string(16'384, 'x')), 1), "answered");
  EXPECT_EQ(fate_after(head + http2_data(1, std::string(16'385, 'x'))), "goaway frame_size_error");
  EXPECT_EQ(fate_after(http2_headers(1, std::string(16'385, '\x82'))), "goaway frame_size_error");
  EXPECT_EQ(fate_after(settings(std::string(16'386, '\0'))), "goaway frame_size_error");
}

TEST(Http2Framing, PaddingIsCutOff) {
  Http2Dialogue dialogue;
  dialogue.say(http2_frame(kHeaders, kPadded | kEndHeaders, 1, bytes({3, 0x83, 0x86, 0x84, 0x41, 1, 'x', 0, 0, 0})));
  dialogue.say(http2_frame(kData, kPadded, 1, bytes({2, 'b', 'o', 0, 0})));
  dialogue.say(http2_frame(kData, kPadded | Http2FrameHead::kEndStream, 1, bytes({0, 'd', 'y'})));
  EXPECT_EQ(dialogue.fate_of(1), "answered");
  EXPECT_EQ(dialogue.request(1).body, "body");
}

TEST(Http2Framing, PaddingHasToFit) {
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + http2_frame(kData, kPadded | 1, 1, bytes({6, 1, 2, 3, 4, 5}))),
            "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kHeaders, kPadded | kWholeRequest, 1, bytes({7, 0x82, 0x86, 0x84, 0x41, 1, 'x'}))),
            "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + http2_frame(kData, kPadded, 1, "")), "goaway protocol_error");
}

TEST(Http2Framing, FramesOfStreamsNameOne) {
  EXPECT_EQ(fate_after(http2_data(0, "x")), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(0)), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kPriority, 0, 0, bytes({0, 0, 0, 1, 15}))), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_reset(0)), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kContinuation, kEndHeaders, 0, "\x82")), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(1, 0x1) + http2_frame(kContinuation, kEndHeaders, 0, "\x82")),
            "goaway protocol_error");
}

TEST(Http2Framing, FramesOfTheConnectionNameNone) {
  EXPECT_EQ(fate_after(http2_frame(kSettings, 0, 1, "")), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kPing, 0, 1, "12345678")), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kGoaway, 0, 1, std::string(8, '\0'))), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kPriorityUpdate, 0, 1, bytes({0, 0, 0, 1}))), "goaway protocol_error");
}

TEST(Http2Framing, FramesOfOneSizeHaveIt) {
  EXPECT_EQ(fate_after(http2_get(1) + http2_frame(kRstStream, 0, 1, "123")), "goaway frame_size_error");
  EXPECT_EQ(fate_after(http2_frame(kPing, 0, 0, "123456")), "goaway frame_size_error");
  EXPECT_EQ(fate_after(settings("123")), "goaway frame_size_error");
  EXPECT_EQ(fate_after(http2_frame(kSettings, Http2FrameHead::kAck, 0, setting(0x3, 1))), "goaway frame_size_error");
  EXPECT_EQ(fate_after(http2_frame(kWindowUpdate, 0, 0, "123")), "goaway frame_size_error");
  EXPECT_EQ(fate_after(http2_get(1) + http2_frame(kPriority, 0, 1, bytes({0x80, 0, 0, 1}))), "goaway frame_size_error");
}

TEST(Http2Framing, ClientsPushNothing) {
  EXPECT_EQ(fate_after(http2_frame(kPushPromise, kEndHeaders, 1, bytes({0, 0, 0, 2, 0x82, 0x86, 0x84}))),
            "goaway protocol_error");
}

TEST(Http2Framing, ABlockOfFieldsMayBeContinued) {
  const std::string block = hpack_get();
  Http2Dialogue dialogue;
  dialogue.say(http2_frame(kHeaders, 0x1, 1, block.substr(0, 5)));
  dialogue.say(http2_frame(kContinuation, 0, 1, block.substr(5, 7)));
  dialogue.say(http2_frame(kContinuation, 0, 1, ""));
  EXPECT_EQ(dialogue.fate_of(1), "");
  dialogue.say(http2_frame(kContinuation, kEndHeaders, 1, block.substr(12)));
  EXPECT_EQ(dialogue.fate_of(1), "answered");
}

TEST(Http2Framing, NothingComesBetweenTheFramesOfABlock) {
  const std::string begun = http2_get(1, 0x1);
  for (const std::string& between :
       {http2_frame(kPriority, 0, 1, bytes({0, 0, 0, 0, 15})), http2_get(3), http2_get(1), http2_data(1, "x"),
        http2_frame(kContinuation, kEndHeaders, 3, ""), http2_frame(kPing, 0, 0, "12345678"), settings(""),
        http2_window_update(0, 1), http2_frame(static_cast<Http2FrameType>(0x16), 0, 0, "x")}) {
    EXPECT_EQ(fate_after(begun + between), "goaway protocol_error") << static_cast<int>(between[3]);
  }
}

TEST(Http2Framing, ContinuationsContinueABlock) {
  const std::string continuation = http2_frame(kContinuation, kEndHeaders, 1, "");
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + continuation), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(1, 0x0) + continuation + continuation), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + http2_data(1, "x") + continuation), "goaway protocol_error");
}

TEST(Http2Framing, SettingsAreAcknowledged) {
  const auto answers = Http2Dialogue().say(settings(setting(0x3, 100))).frames(kSettings);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].head.has(Http2FrameHead::kAck));
  EXPECT_EQ(answers[0].payload, "");
}

TEST(Http2Framing, SettingsHaveRanges) {
  EXPECT_EQ(fate_after(settings(setting(0x2, 2))), "goaway protocol_error");  // ENABLE_PUSH
  EXPECT_EQ(fate_after(settings(setting(0x4, 0x80000000))), "goaway flow_control_error");
  EXPECT_EQ(fate_after(settings(setting(0x5, 16'383))), "goaway protocol_error");  // MAX_FRAME_SIZE
  EXPECT_EQ(fate_after(settings(setting(0x5, 16'777'216))), "goaway protocol_error");
  EXPECT_EQ(fate_after(settings(setting(0x9, 2))), "goaway protocol_error");  // NO_RFC7540_PRIORITIES
  EXPECT_EQ(fate_after(settings(setting(0xff, 1)) + http2_get(1), 1), "answered");
}

TEST(Http2Framing, TheLastOfSeveralSettingsHolds) {
  Http2Dialogue dialogue;
  dialogue.say(settings(setting(0x4, 100) + setting(0x4, 1)) + http2_get(1));
  const auto data = dialogue.frames(kData);
  ASSERT_EQ(data.size(), 1u);
  EXPECT_EQ(data[0].payload, "a");
}

TEST(Http2Framing, PingsAreAnsweredWithTheirBytes) {
  Http2Dialogue dialogue;
  dialogue.say(http2_frame(kPing, 0, 0, "optimux!"));
  dialogue.say(http2_frame(kPing, Http2FrameHead::kAck, 0, "nobody's"));
  ASSERT_EQ(dialogue.frames().size(), 1u);
  EXPECT_TRUE(dialogue.frames()[0].head.has(Http2FrameHead::kAck));
  EXPECT_EQ(dialogue.frames()[0].payload, "optimux!");
}

TEST(Http2Framing, WindowsGrowAndHaveALimit) {
  EXPECT_EQ(fate_after(http2_window_update(0, 0)), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_window_update(0, 0x7fffffff)), "goaway flow_control_error");
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + http2_window_update(1, 0), 1), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + http2_window_update(1, 0x7fffffff), 1), "reset flow_control_error");
  EXPECT_EQ(fate_after(http2_window_update(0, 1'000) + http2_get(1, kEndHeaders) + http2_window_update(1, 1'000) +
                           http2_data(1, ""),
                       1),
            "answered");
}

TEST(Http2Framing, AWindowMayBecomeNegative) {
  Http2Dialogue dialogue;
  dialogue.say(settings(setting(0x4, 3)) + http2_get(1));
  dialogue.say(settings(setting(0x4, 1)));  // 3 of 6 bytes have been sent: the window is -2,
  dialogue.say(http2_window_update(1, 2));  // 0,
  ASSERT_EQ(dialogue.frames(kData).size(), 1u);
  EXPECT_EQ(dialogue.frames(kData)[0].payload, "ans");
  dialogue.say(http2_window_update(1, 1));  // and 1.
  ASSERT_EQ(dialogue.frames(kData).size(), 2u);
  EXPECT_EQ(dialogue.frames(kData)[1].payload, "w");
  dialogue.say(settings(setting(0x4, 65'535)));
  EXPECT_EQ(dialogue.fate_of(1), "answered");
}

/// RFC 9113, section 6.9.2, would have the connection end; the library resets the stream, and nothing is harmed.
TEST(Http2Framing, SettingsMustNotMakeAWindowTooLarge) {
  Http2Dialogue dialogue;
  dialogue.hold_answers();
  dialogue.say(http2_get(1) + http2_window_update(1, 0x7fffffff - 65'535) + settings(setting(0x4, 65'536)));
  EXPECT_EQ(dialogue.fate_of(1), "reset flow_control_error");
}

TEST(Http2Framing, AfterAGoawayOfTheClientWhatIsOpenIsAnswered) {
  for (const int error : {0x0, 0xb, 0xff}) {  // The last one is not known.
    Http2Dialogue dialogue;
    dialogue.hold_answers();
    dialogue.say(http2_get(1) + http2_frame(kGoaway, 0, 0, std::string(7, '\0') + static_cast<char>(error)));
    EXPECT_FALSE(dialogue.session().is_over());
    dialogue.answer(1);
    EXPECT_EQ(dialogue.fate_of(1), "answered");
    EXPECT_TRUE(dialogue.session().is_over());
  }
}

TEST(Http2Framing, AnUnknownErrorOfAResetMeansNothing) {
  EXPECT_EQ(fate_after(http2_get(1, kEndHeaders) + http2_reset(1, static_cast<Http2Error>(0xff)) + http2_get(3), 3),
            "answered");
}

TEST(Http2Framing, PrioritiesOfRfc7540ArePassedOver) {
  for (const auto& payload : {bytes({0, 0, 0, 0, 0}), bytes({0, 0, 0, 0, 255}), bytes({0x80, 0, 0, 5, 15})}) {
    EXPECT_EQ(fate_after(http2_frame(kPriority, 0, 1, payload) + http2_get(1), 1), "answered");
    EXPECT_EQ(fate_after(http2_frame(kPriority, 0, 7, payload) + http2_get(1), 1), "answered");
    EXPECT_EQ(fate_after(http2_get(1) + http2_frame(kPriority, 0, 1, payload) + http2_get(3), 3), "answered");
    EXPECT_EQ(fate_after(http2_frame(kHeaders, kWholeRequest | kHasPriority, 1, payload + hpack_get()), 1), "answered");
  }
}

TEST(Http2Framing, NoStreamDependsOnItself) {
  EXPECT_EQ(fate_after(http2_frame(kPriority, 0, 3, bytes({0, 0, 0, 3, 15}))), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kPriority, 0, 3, bytes({0x80, 0, 0, 3, 219}))), "goaway protocol_error");
  EXPECT_EQ(fate_after(http2_frame(kHeaders, kWholeRequest | kHasPriority, 1, bytes({0, 0, 0, 1, 15}) + hpack_get())),
            "goaway protocol_error");
}

TEST(Http2Framing, AfterAnErrorTheConnectionIsOver) {
  Http2Dialogue dialogue;
  dialogue.say(http2_get(1) + http2_frame(kPing, 0, 1, "12345678"));
  dialogue.say(http2_get(3));
  const auto goodbyes = dialogue.frames(kGoaway);
  ASSERT_EQ(goodbyes.size(), 1u);
  EXPECT_EQ(goodbyes[0].payload.substr(0, 4), bytes({0, 0, 0, 1}));  // Up to here requests were looked at.
  EXPECT_TRUE(dialogue.session().is_over());
}

}  // namespace
}  // namespace optimux::http
