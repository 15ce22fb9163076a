#pragma once

#include <chrono>
#include <cstddef>

namespace optimux::server {

/// How much of what is written goes into one TLS record. A client can decrypt a record only when all of it has come, so
/// the first ones of an answer each fit one TCP segment and are useful at once; later ones are as large as the protocol
/// allows, because each costs bytes and work. As H2O and nghttpx do it.
///
/// No clock of its own; not thread-safe.
class RecordSizer {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kLargest = 16'384;  ///< RFC 8446, section 5.1.
  /// With the 29 bytes of a record of TLS 1.2 and the options of TCP this fits a segment of Ethernet.
  static constexpr std::size_t kSmall = 1'400;
  static constexpr std::size_t kSmallUpTo = std::size_t{64} << 10;  ///< Bytes that go out in small records.
  static constexpr std::chrono::seconds kIdle{1};  ///< After a pause of this the congestion window has shrunk.

  /// From now on at most `bytes`, 1 to `kLargest`; 0: as above.
  void fix(std::size_t bytes) { fixed_ = bytes; }

  /// Most bytes of the record that is made at `now`.
  std::size_t limit(Clock::time_point now) const;
  /// A record of `bytes` has been written at `now`.
  void wrote(std::size_t bytes, Clock::time_point now);

 private:
  bool was_idle(Clock::time_point now) const { return now - last_write_ >= kIdle; }

  std::size_t fixed_ = 0;
  std::size_t written_ = 0;  ///< Since the begin or the last pause.
  Clock::time_point last_write_;
};

}  // namespace optimux::server
