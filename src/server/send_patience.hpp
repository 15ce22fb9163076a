#pragma once

#include <chrono>
#include <cstdint>

namespace optimux::server {

/// How much longer a connection waits for a client that does not take its answer. Only time in which the answer waits
/// for the client counts: a slow encoder is not held against it.
///
/// Patience lasts for `window`, and every byte that is taken gives back the time in which it should have been taken at
/// `min_rate`, up to the full window. So whoever takes nothing for a window is cut off, whoever stays below the rate is
/// cut off later, and bursts and pauses within a window are as good as a steady flow. What TCP itself holds counts as
/// taken, which is why it may hold little (`kMostUnsentBytes`). `total` bounds the waiting of the whole answer,
/// whatever the rate.
///
/// No clock of its own; not thread-safe.
class SendPatience {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::chrono::milliseconds window{0};
    std::uint64_t min_rate = 0;          ///< Bytes a second; 0: any byte gives back the whole window.
    std::chrono::milliseconds total{0};  ///< 0: no bound.
  };

  explicit SendPatience(const Limits& limits);

  /// The client has taken `bytes`, at least one.
  void taken(std::uint64_t bytes);
  /// When the waiting that begins at `now` has to end, unless the client takes something.
  Clock::time_point end_of(Clock::time_point now) const;
  /// The answer has waited for as long.
  void waited(Clock::duration time);

 private:
  Limits limits_;
  Clock::duration left_;
  Clock::duration total_left_;
};

}  // namespace optimux::server
