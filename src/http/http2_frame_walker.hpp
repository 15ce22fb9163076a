#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace optimux::http {

/// The types of HTTP/2 frames that somebody here asks about (RFC 9113, section 6, and RFC 9218, section 7.1).
enum class Http2FrameType : std::uint8_t {
  kData = 0x0,
  kHeaders = 0x1,
  kPriority = 0x2,
  kRstStream = 0x3,
  kSettings = 0x4,
  kPushPromise = 0x5,
  kPing = 0x6,
  kGoaway = 0x7,
  kWindowUpdate = 0x8,
  kContinuation = 0x9,
  kPriorityUpdate = 0x10,
};

/// The head of a frame (RFC 9113, section 4.1). `type` may be one that has no name.
struct Http2FrameHead {
  std::uint32_t length = 0;  ///< Of the payload, in bytes.
  Http2FrameType type = Http2FrameType::kData;
  std::uint8_t flags = 0;
  std::int32_t stream = 0;

  static constexpr std::uint8_t kEndStream = 0x1;
  static constexpr std::uint8_t kAck = 0x1;  ///< Of SETTINGS and PING.
  static constexpr std::uint8_t kEndHeaders = 0x4;
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

/// Cuts a client's bytes at the ends of frames, before they go to the HTTP/2 library: some frames it drops without a
/// word (PRIORITY once RFC 7540's priorities are switched off, PRIORITY_UPDATE, unknown types), and others it answers
/// without limit. Bytes in, frames out; no socket or clock; not thread-safe. It judges nothing: whether the bytes are
/// HTTP/2 is for the library to say.
class Http2FrameWalker {
 public:
  /// Of a payload, as much is kept: more than any `Priority` field has a use for.
  static constexpr std::size_t kMostPayload = 512;
  /// The connection preface of a client, which is no frame (RFC 9113, section 3.4).
  static constexpr std::size_t kPrefaceBytes = 24;

  /// A frame that has come whole.
  struct Frame {
    Http2FrameHead head;
    /// The first `kMostPayload` bytes at most, of PRIORITY and PRIORITY_UPDATE alone; empty for others.
    std::string payload;
  };
  struct Step {
    std::size_t bytes = 0;                ///< Walked over: all that were given, or those up to the end of a frame.
    std::optional<Http2FrameHead> begun;  ///< The head that has become whole with them.
    std::optional<Frame> ended;           ///< The frame that has.
  };

  /// Walks to the end of a frame or of `bytes`, whichever comes first. `bytes` must not be empty.
  Step walk(std::span<const std::byte> bytes);

 private:
  static constexpr std::size_t kHeadBytes = 9;

  bool take_head(std::span<const std::byte> bytes, std::size_t& used);
  void take_payload(std::span<const std::byte> bytes, std::size_t& used);

  std::size_t preface_left_ = kPrefaceBytes;
  std::string head_bytes_;
  Frame frame_;  ///< The one that has begun.
  std::size_t payload_left_ = 0;
};

}  // namespace optimux::http
