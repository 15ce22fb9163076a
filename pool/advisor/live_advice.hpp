/// \file
/// Whether a running pool has the right limits, from what can be seen of it.
#pragma once

#include "optimux/pool/gate.hpp"
#include "optimux/pool/snapshot.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace optimux::pool::advisor {

/// What to do about the limits of a pool.
enum class LiveVerdict : std::uint8_t {
  kIdle,       ///< Nothing has been seen to run lately: there is nothing to advise on.
  kRight,      ///< The pool's limits fit its load.
  kRaiseCap,   ///< The load wants more workers than `max_workers`, and they would add capacity.
  kAddCpus,    ///< The load wants more than the gate lets through: more workers would only share what there is.
  kStuckJobs,  ///< The queue does not move because workers are held by jobs that do not end.
};

/// "idle", "right", "raise the cap", "add CPUs" or "stuck jobs".
[[nodiscard]] std::string_view to_string(LiveVerdict verdict);

/// Advice for a running pool, and the figures that it stands on.
struct LiveAdvice {
  LiveVerdict verdict = LiveVerdict::kIdle;
  int workers = 0;         ///< Workers that the present load wants; 0 while idle.
  double busy = 0;         ///< Workers kept busy by the arrivals: rate x service time.
  double utilisation = 0;  ///< `busy` over the workers that there may be; above 1 the queue grows for ever.
  bool is_gated = false;   ///< The gate refuses growth at this moment.
  std::string text;        ///< All of it in one or two sentences.
};

/// Advises on a pool. By Little's law: arrival rate x service time, over 0.8 so that waits stay short, plus what it
/// takes to work off the queue within a second, as `LittlePolicy` reckons. `gate` is what the pool's gate says about
/// `snapshot`. Pure.
[[nodiscard]] LiveAdvice advise(const Snapshot& snapshot, const GateAnswer& gate);

}  // namespace optimux::pool::advisor
