/// \file
/// The worker that ships: a thread that runs a handler for each job.
#pragma once

#include "optimux/pool/worker_context.hpp"

#include <type_traits>

namespace optimux::pool {

/// What a handler may know about the job that it runs.
struct JobContext {
  std::stop_token stop;         ///< Fires when the job is cancelled, the worker nudged or the pool stopped.
  Duration waited{};            ///< How long the job waited in the queue.
  TimePoint deadline = kNever;  ///< The job's deadline; it had not passed when the job was started.
  WorkerIndex worker = 0;       ///< Who runs it.
};

namespace detail {

/// Ends the lease as `outcome` says. An error fails the job, or, once its token has fired, counts as giving up.
template <class AnyLease>
void end_job(AnyLease& lease, const std::stop_token& stop, Outcome outcome, std::exception_ptr error) {
  if (error) return stop.stop_requested() ? lease.cancel(std::move(error)) : lease.fail(std::move(error));
  switch (outcome) {
    case Outcome::kDone: return lease.done();
    case Outcome::kFailed: return lease.fail(nullptr);
    case Outcome::kCancelled:
    case Outcome::kExpired: return lease.cancel();
  }
}

/// Calls `run`, which returns nothing or an `Outcome`, and ends the lease accordingly. A throw never reaches the
/// worker.
template <class AnyLease, class Run>
void run_job(AnyLease& lease, const std::stop_token& stop, Run&& run) {
  Outcome outcome = Outcome::kDone;
  try {
    if constexpr (std::is_same_v<decltype(run()), Outcome>) {
      outcome = run();
    } else {
      run();
    }
  } catch (...) {
    return end_job(lease, stop, Outcome::kFailed, std::current_exception());
  }
  end_job(lease, stop, outcome, nullptr);
}

/// Fills `about`. Copying a token costs two atomic operations: not done while it stays the worker's.
template <class Job>
void describe(const Lease<Job>& lease, JobContext& about, bool& own_token) {
  if (own_token || lease.has_own_token()) about.stop = lease.stop_token();
  own_token = lease.has_own_token();
  about.waited = lease.waited();
  about.deadline = lease.deadline();
}

/// Takes and runs jobs until the worker is to leave.
template <class Job, class Run>
void run_jobs(WorkerContext<Job>& context, Run&& run) {
  JobContext about{context.stop_token(), {}, kNever, context.index()};
  for (bool own_token = false;;) {
    Lease<Job> lease = context.take_next();
    if (!lease) return;
    describe(lease, about, own_token);
    run_job(lease, about.stop, [&] { return run(*lease, about); });
  }
}

/// As `run_jobs`, but takes up to `most` at once. Before each is begun its token and its deadline are looked at again.
template <class Job, class Run>
void run_batches(WorkerContext<Job>& context, std::size_t most, Run&& run) {
  JobContext about{context.stop_token(), {}, kNever, context.index()};
  std::vector<Lease<Job>> leases;
  leases.reserve(most);
  for (bool own_token = false; context.pop_batch(leases, most) > 0;) {
    for (Lease<Job>& lease : leases) {
      describe(lease, about, own_token);
      if (about.stop.stop_requested()) {
        lease.drop(Outcome::kCancelled);
      } else if (about.deadline != kNever && about.deadline <= context.clock().now()) {
        lease.drop(Outcome::kExpired);
      } else {
        run_job(lease, about.stop, [&] { return run(*lease, about); });
      }
    }
  }
}

}  // namespace detail

/// Workers that call `handler(job, context)` for each job, with a `Job&` and a `const JobContext&`. Each worker has its
/// own copy of the handler. It returns nothing, or an `Outcome`; what it throws becomes the job's error.
template <class Job, class Handler>
[[nodiscard]] WorkerFactory<Job> handler_worker(Handler handler) {
  return [handler = std::move(handler)](WorkerIndex) -> WorkerBody<Job> {
    return [handler](WorkerContext<Job>& context) mutable {
      detail::run_jobs(context, [&](Job& job, const JobContext& about) { return handler(job, about); });
    };
  };
}

/// As `handler_worker`, for jobs of microseconds: each worker takes up to `most` (at least 1) jobs at once and calls
/// the handler for one after the other. The others of a batch wait meanwhile, even if a worker becomes idle; whose
/// token fires or whose deadline passes before its turn is not run. To handle a batch as a whole, write a body that
/// uses `WorkerContext::pop_batch`.
template <class Job, class Handler>
[[nodiscard]] WorkerFactory<Job> batching_worker(std::size_t most, Handler handler) {
  return [most, handler = std::move(handler)](WorkerIndex) -> WorkerBody<Job> {
    return [most, handler](WorkerContext<Job>& context) mutable {
      detail::run_batches(context, std::max<std::size_t>(most, 1),
                          [&](Job& job, const JobContext& about) { return handler(job, about); });
    };
  };
}

/// Workers with a state of their own: each makes it with `make_state(index)` on its own thread before its first job,
/// calls `handler(job, context, state)`, and destroys it on the same thread when it leaves. If `make_state` throws, the
/// worker could not be started and is tried again later.
template <class Job, class MakeState, class Handler>
[[nodiscard]] WorkerFactory<Job> stateful_worker(MakeState make_state, Handler handler) {
  return [make_state = std::move(make_state), handler = std::move(handler)](WorkerIndex) -> WorkerBody<Job> {
    return [make_state, handler](WorkerContext<Job>& context) mutable {
      auto state = make_state(context.index());
      detail::run_jobs(context, [&](Job& job, const JobContext& about) { return handler(job, about, state); });
    };
  };
}

}  // namespace optimux::pool
