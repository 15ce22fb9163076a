/// \file
/// What accompanies a job: its deadline, its stop token, how it ended, and the answers of a submission.
#pragma once

#include "optimux/pool/clock.hpp"
#include "optimux/pool/unique_function.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <string_view>

namespace optimux::pool {

/// Number of a worker within its pool: 0, 1, 2 … in the order of creation, never used twice.
using WorkerIndex = std::uint64_t;
/// "No worker": the job ended without having been started.
inline constexpr WorkerIndex kNoWorker = ~WorkerIndex{0};

/// What a submission was answered. Everything but `kAccepted` leaves the job with the caller.
enum class Answer : std::uint8_t {
  kAccepted,  ///< The pool owns the job; it will end exactly once.
  kFull,      ///< The queue has no free place.
  kStopped,   ///< The pool drains or has been stopped, and takes nothing more.
  kDeadline,  ///< The job's deadline, or the time allowed for waiting, had passed before there was a place.
};

/// How an accepted job ended.
enum class Outcome : std::uint8_t {
  kDone,       ///< It ran to its end.
  kFailed,     ///< It ran and threw, or its worker dropped it.
  kCancelled,  ///< Its stop token fired or the pool stopped: before it was started, or the handler said that it gave
               ///< up.
  kExpired,    ///< Its deadline passed before it was started.
};

/// "accepted", "full", "stopped" or "deadline".
[[nodiscard]] std::string_view to_string(Answer answer);
/// "done", "failed", "cancelled" or "expired".
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// The end of a job.
struct JobEnd {
  /// How it ended.
  Outcome outcome = Outcome::kDone;
  /// What the job threw; null unless `kFailed` or a throw after its stop token had fired.
  std::exception_ptr error;
  /// Time between acceptance and start, or between acceptance and end for a job that was never started.
  Duration waited{};
  /// Time between start and end; 0 for a job that was never started.
  Duration ran{};
  /// Who ran it; `kNoWorker` for a job that was never started.
  WorkerIndex worker = kNoWorker;
};

/// The error of a job whose worker let go of it without saying how it ended (`Lease`).
class AbandonedJob : public std::runtime_error {
 public:
  AbandonedJob() : std::runtime_error("the worker left without finishing its job") {}
};

/// Called once with the end of a job. It runs with no lock of the pool held: on the worker that ran the job; on the
/// thread that called `request_stop` when a queued job is cancelled; on the thread that called `stop` for what was
/// queued then; on the control thread, a worker or a submitter for an expired one. It must not throw (that terminates),
/// should be short, may submit with `try_submit`, and must not destroy, drain or join the pool.
using OnEnd = UniqueFunction<void(JobEnd)>;

/// What a submitter may say about a job.
struct JobOptions {
  /// A job that has not been started by then ends as `kExpired` and is never started.
  TimePoint deadline = kNever;
  /// When it fires, a queued job leaves the queue at that moment and ends as `kCancelled`; a running one sees its own
  /// token fire.
  std::stop_token stop = {};
  /// Told how the job ended. May be empty.
  OnEnd on_end = {};
};

/// The answer of `submit_batch`: the first `accepted` jobs are the pool's; `answer` is `kAccepted` if that is all of
/// them, else why the next one was refused.
struct BatchAnswer {
  /// How many of the jobs, from the first on, are the pool's.
  std::size_t accepted = 0;
  /// What the next one was answered.
  Answer answer = Answer::kAccepted;
};

}  // namespace optimux::pool
