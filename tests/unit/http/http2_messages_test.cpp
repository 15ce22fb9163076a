// What makes a request of fields (RFC 9113, section 8, and HPACK, RFC 7541).
#include <string>

#include <gtest/gtest.h>

#include "unit/http/http2_dialogue.hpp"

namespace optimux::http {
namespace {

std::string fate_after(std::string_view bytes, StreamId stream = 0) {
  return Http2Dialogue().say(bytes).fate_of(stream);
}

/// What becomes of a request with this block of fields.
std::string fate_of_block(std::string_view block) {
  return fate_after(http2_headers(1, block), 1);
}

constexpr std::string_view kMalformed = "reset protocol_error";
constexpr std::string_view kNoHpack = "goaway compression_error";

TEST(Http2Messages, EveryMethodIsARequest) {
  EXPECT_EQ(fate_of_block(hpack_get()), "answered");
  for (const char* method : {"HEAD", "POST", "OPTIONS", "PUT", "DELETE", "ANY"}) {
    EXPECT_EQ(fate_of_block(hpack_literal(":method", method) + hpack_get(":method")), "answered") << method;
  }
}

TEST(Http2Messages, ABodyMayHaveTrailers) {
  const std::string post = hpack_literal(":method", "POST") + hpack_get(":method");
  Http2Dialogue dialogue;
  dialogue.say(http2_headers(1, post, false) + http2_data(1, "bo", false) + http2_data(1, "dy", false));
  dialogue.say(http2_headers(1, hpack_literal("x-sum", "1")));
  EXPECT_EQ(dialogue.fate_of(1), "answered");
  EXPECT_EQ(dialogue.request(1).body, "body");
}

TEST(Http2Messages, TrailersAreTheEnd) {
  const std::string begun = http2_get(1, 0x4) + http2_data(1, "x", false);
  EXPECT_EQ(fate_after(begun + http2_headers(1, hpack_literal("x-sum", "1"), false), 1), kMalformed);
  EXPECT_EQ(fate_after(begun + http2_headers(1, hpack_literal(":method", "GET")), 1), kMalformed);
  EXPECT_EQ(fate_after(http2_get(1, 0x4) + http2_headers(1, hpack_get(), false), 1), kMalformed);
}

TEST(Http2Messages, NamesAreInLowerCase) {
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal("X-TEST", "ok")), kMalformed);
}

TEST(Http2Messages, PseudoFieldsAreThoseOfARequest) {
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal(":test", "ok")), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal(":status", "200")), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_get(":path") + hpack_literal("x-test", "ok") + hpack_literal(":path", "/")),
            kMalformed);
}

TEST(Http2Messages, EachPseudoFieldIsThereOnce) {
  for (const char* name : {":method", ":scheme", ":path"})
    EXPECT_EQ(fate_of_block(hpack_get(name)), kMalformed) << name;
  EXPECT_EQ(fate_of_block(hpack_literal(":method", "GET") + hpack_get()), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_literal(":scheme", "http") + hpack_get()), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_literal(":path", "/") + hpack_get()), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_literal(":authority", "x") + hpack_get()), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_get(":path") + hpack_literal(":path", "")), kMalformed);
}

TEST(Http2Messages, FieldsOfConnectionsHaveNoPlace) {
  for (const char* name : {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}) {
    EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal(name, "x")), kMalformed) << name;
  }
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal("te", "trailers, deflate")), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal("te", "trailers")), "answered");
}

TEST(Http2Messages, ValuesHaveNoLineEnds) {
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal("x-test", "a\r\nb: c")), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal("x test", "a")), kMalformed);
}

TEST(Http2Messages, ContentLengthIsTheLengthOfTheContent) {
  const auto post = [](const char* length) {
    return http2_headers(
        1, hpack_literal(":method", "POST") + hpack_get(":method") + hpack_literal("content-length", length), false);
  };
  EXPECT_EQ(fate_after(post("4") + http2_data(1, "test"), 1), "answered");
  EXPECT_EQ(fate_after(post("4") + http2_data(1, "te", false) + http2_data(1, "st"), 1), "answered");
  EXPECT_EQ(fate_after(post("1") + http2_data(1, "test"), 1), kMalformed);
  EXPECT_EQ(fate_after(post("1") + http2_data(1, "te", false) + http2_data(1, "st"), 1), kMalformed);
  EXPECT_EQ(fate_after(post("5") + http2_data(1, "test"), 1), kMalformed);
  EXPECT_EQ(fate_of_block(hpack_get() + hpack_literal("content-length", "4")), kMalformed);
}

TEST(Http2Messages, EveryFormOfAFieldIsRead) {
  const std::string get = "\x82\x86\x84" + hpack_literal(":authority", "x");
  const std::string name_and_value("\x03x-a\x01y", 6);
  for (const std::string& field :
       {std::string("\x90"), std::string("\x53\x01y"), std::string("\x40") + name_and_value,  // Indexed, in the table,
        std::string("\x0f\x04\x01y"), std::string(1, '\0') + name_and_value,                  // not in it,
        std::string("\x1f\x04\x01y"), std::string("\x10") + name_and_value,                   // never in it;
        std::string("\x00\x83\xf2\xb0\xff\x81\xf3", 7), std::string("\x53\x81\xf3")}) {       // in Huffman's code.
    EXPECT_EQ(fate_of_block(get + field), "answered") << static_cast<int>(static_cast<unsigned char>(field[0]));
  }
}

TEST(Http2Messages, TablesHaveNoFurtherEntries) {
  EXPECT_EQ(fate_of_block(hpack_get() + "\x80"), kNoHpack);           // Index 0.
  EXPECT_EQ(fate_of_block(hpack_get() + "\xc6"), kNoHpack);           // Index 70 of an empty table.
  EXPECT_EQ(fate_of_block(hpack_get() + "\x7f\x07\x01x"), kNoHpack);  // The name of index 70.
  EXPECT_EQ(fate_of_block(hpack_get() + "\xff\xff\xff\xff\xff\xff"), kNoHpack);
}

TEST(Http2Messages, TablesChangeTheirSizeInFrontAndWithinTheLimit) {
  EXPECT_EQ(fate_of_block("\x20" + hpack_get()), "answered");          // 0.
  EXPECT_EQ(fate_of_block("\x3f\xe1\x1f" + hpack_get()), "answered");  // 4,096.
  EXPECT_EQ(fate_of_block("\x3f\xe2\x1f" + hpack_get()), kNoHpack);    // 4,097.
  EXPECT_EQ(fate_of_block(hpack_get() + "\x20"), kNoHpack);
}

TEST(Http2Messages, StringsEndWhereTheySay) {
  EXPECT_EQ(fate_of_block(hpack_get() + std::string("\x00\x03x-a\x05y", 7)), kNoHpack);
  EXPECT_EQ(fate_of_block(hpack_get() + std::string("\x00", 1)), kNoHpack);
}

TEST(Http2Messages, HuffmanCodeIsPaddedWithUpToSevenOnes) {
  const std::string name("\x00\x03x-a", 5);
  EXPECT_EQ(fate_of_block(hpack_get() + name + "\x81\x1f"), "answered");                // `a`, and three ones.
  EXPECT_EQ(fate_of_block(hpack_get() + name + "\x82\x1f\xff"), kNoHpack);              // More than seven.
  EXPECT_EQ(fate_of_block(hpack_get() + name + "\x81\x18"), kNoHpack);                  // Zeros.
  EXPECT_EQ(fate_of_block(hpack_get() + name + "\x85\x1f\xff\xff\xff\xff"), kNoHpack);  // The code of the end.
}

TEST(Http2Messages, AHeadThatIsNoHpackEndsTheConnectionEvenIfNobodyWantsIt) {
  Http2Dialogue dialogue;
  dialogue.hold_answers();
  dialogue.say(http2_get(1, 0x4));
  dialogue.session().reset(1, Http2Error::kCancel);
  EXPECT_EQ(dialogue.say(http2_headers(1, "\x80")).fate(), kNoHpack);
}

}  // namespace
}  // namespace optimux::http
