/// \file
/// What a pool tells about itself as it happens.
#pragma once

#include "optimux/pool/decision_log.hpp"
#include "optimux/pool/job.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace optimux::pool {

/// How a worker came to leave.
enum class ExitKind : std::uint8_t {
  kRetired,   ///< It was asked to.
  kStopped,   ///< The pool stopped.
  kReturned,  ///< Its body returned without having been asked: a crash, as far as the pool is concerned.
  kThrew,     ///< Its body threw.
};

/// "retired", "stopped", "returned" or "threw".
[[nodiscard]] std::string_view to_string(ExitKind kind);

/// The end of a worker.
struct WorkerExit {
  /// Why it left.
  ExitKind kind = ExitKind::kReturned;
  std::string error;  ///< What it threw; empty otherwise.
};

/// Derive from it what you want to hear of. Calls come from within a round of control: on the control thread (or the
/// caller of `step`), the first also from `make`. They must not throw, and must not `step`, stop, drain or destroy the
/// pool; `snapshot` and `decisions` may be called.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// A worker has been created.
  virtual void on_worker_started(WorkerIndex /*worker*/) {}
  /// A worker could not be created: the factory threw, or there is no thread to be had. The pool tries again later.
  virtual void on_start_failed(const std::string& /*error*/) {}
  /// A worker has left and its slot is free.
  virtual void on_worker_exited(WorkerIndex /*worker*/, const WorkerExit& /*exit*/) {}
  /// A worker did not leave within the grace, and its stop token has been fired.
  virtual void on_worker_nudged(WorkerIndex /*worker*/) {}
  /// A decision that is new in the log.
  virtual void on_decision(const Decision& /*decision*/) {}
};

}  // namespace optimux::pool
