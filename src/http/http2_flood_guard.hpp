#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/http2_frame_walker.hpp"

namespace optimux::http {

/// What a bucket of tokens allows: `burst` at once, and `per_second` in the long run.
struct RateLimit {
  std::uint32_t burst = 0;
  std::uint32_t per_second = 0;
};

/// The frames that cost a client little and a server more, and how many of each one connection may bring.
struct Http2FloodLimits {
  RateLimit resets{512, 32};            ///< RST_STREAM from the client: requests that it takes back (CVE-2023-44487).
  RateLimit errors{100, 10};            ///< RST_STREAM from here, refused streams included (CVE-2025-8671).
  RateLimit control{100, 10};           ///< PING, SETTINGS, GOAWAY and frames of types that nobody knows.
  RateLimit empty_data{100, 10};        ///< DATA that neither has bytes nor ends its stream (CVE-2019-9518).
  RateLimit window_updates{1000, 100};  ///< WINDOW_UPDATE beyond those that requests and DATA sent to it give a use.
  RateLimit priorities{1000, 100};      ///< PRIORITY and PRIORITY_UPDATE beyond those that requests give a use.
  std::uint32_t max_continuations = 8;  ///< CONTINUATION frames of one head (CVE-2024-28182).
  /// What the fields of one head count when HPACK has unpacked them (RFC 9113, section 10.5.1). One byte can stand for
  /// 4 KiB, and all of them are looked at, so that this is a limit for CPU time; too long for an answer is less.
  std::size_t max_field_bytes = 131'072;
};

/// What a connection was flooded with.
enum class Http2Flood : std::uint8_t {
  kResets,
  kErrors,
  kControl,
  kEmptyData,
  kWindowUpdates,
  kPriorities,
  kContinuations,
  kFields,
};
constexpr std::size_t kRatedHttp2Floods = 6;  ///< The first ones.

/// The flood's stable name in snake case, for logs and metrics.
std::string_view name_of(Http2Flood flood);

/// Counts what one connection has been sent against buckets of tokens. No clock of its own; not thread-safe.
class Http2FloodGuard {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The buckets are full at `now`.
  Http2FloodGuard(const Http2FloodLimits& limits, Time now);

  /// A frame has come. What it is a flood of, if it is one too many.
  std::optional<Http2Flood> receive(const Http2FrameHead& head, Time now);
  /// DATA has come that is nothing but padding: as good as empty.
  std::optional<Http2Flood> receive_padding(Time now) { return spend(Http2Flood::kEmptyData, now); }
  /// A head begins, of a request or trailers.
  void begin_head() { field_bytes_ = 0; }
  /// One field more of it.
  std::optional<Http2Flood> receive_field(std::size_t bytes);
  /// A stream was reset from here, for whatever reason.
  std::optional<Http2Flood> reset_stream(Time now) { return spend(Http2Flood::kErrors, now); }
  /// A request has come: its stream may be given windows, and an importance more than once.
  void open_stream();
  /// A frame of DATA was sent: the client gives its bytes back to the windows of stream and connection.
  void send_data();

 private:
  struct Bucket {
    RateLimit limit;
    double tokens = 0;
    Time filled;
  };

  std::optional<Http2Flood> spend(Http2Flood flood, Time now);
  void earn(Http2Flood flood, double tokens);

  std::array<Bucket, kRatedHttp2Floods> buckets_;  ///< By `Http2Flood`; the others are counted, not rated.
  std::size_t max_field_bytes_;
  std::size_t field_bytes_ = 0;  ///< Of the head that is coming in.
  std::uint32_t max_continuations_;
  std::uint32_t continuations_ = 0;
};

}  // namespace optimux::http
