#pragma once

#include <cstdint>
#include <string>

#include "http/stream_scheduler.hpp"

namespace optimux::http {

inline constexpr std::uint64_t kQuantum = StreamScheduler::kQuantum;
inline constexpr StreamPriority kShared{.urgency = 3, .incremental = true, .weight = 16};

/// A picture of four phases.
inline void append_picture(StreamScheduler& scheduler, StreamId id, std::uint64_t scale = 1) {
  scheduler.append(id, 600, base::Phase::kHead);
  scheduler.append(id, 2'000 * scale, base::Phase::kFirst);
  scheduler.append(id, 10'000 * scale, base::Phase::kGood);
  scheduler.append(id, 20'000 * scale, base::Phase::kFull);
}

/// The next turns, each as stream:bytes.
inline std::string turns(StreamScheduler& scheduler, int most) {
  std::string text;
  for (int turn = 0; turn < most; ++turn) {
    const auto pick = scheduler.pick();
    if (!pick) break;
    scheduler.charge(pick->stream, pick->bytes);
    text += (text.empty() ? "" : " ") + std::to_string(pick->stream) + ':' + std::to_string(pick->bytes);
  }
  return text;
}

/// The streams of the next turns of full quanta.
inline std::string streams(StreamScheduler& scheduler, int most) {
  std::string text;
  for (int turn = 0; turn < most; ++turn) {
    const auto pick = scheduler.pick();
    if (!pick) break;
    scheduler.charge(pick->stream, pick->bytes);
    text += (text.empty() ? "" : " ") + std::to_string(pick->stream);
  }
  return text;
}

}  // namespace optimux::http
