/// \file
/// The coroutine workers that ship: one that runs a handler for each job, and one with a body of your own.
#pragma once

#include "optimux/pool/coroutine_crew.hpp"
#include "optimux/pool/handler_worker.hpp"

namespace optimux::pool {

namespace detail {

/// One job in the hands of a worker: the frame of this coroutine, and the handler's, exist only for as long.
template <class Job, class Handler>
Detached run_one_job(CoroutineContext<Job>& worker, typename CoroutineContext<Job>::Entry& entry,
                     const Handler& handler) {
  const std::uint64_t begun_in = worker.turn();
  {
    CoroutineLease<Job> lease(worker, std::exchange(entry, nullptr));
    const JobContext about{lease.stop_token(), lease.waited(), lease.deadline(), worker.index()};
    Outcome outcome = Outcome::kDone;
    std::exception_ptr error;
    try {
      if constexpr (std::is_same_v<decltype(handler(*lease, about)), Task<Outcome>>) {
        outcome = co_await handler(*lease, about);
      } else {
        co_await handler(*lease, about);
      }
    } catch (...) {
      error = std::current_exception();
      outcome = Outcome::kFailed;
    }
    end_job(lease, about.stop, outcome, std::move(error));
  }
  CoroutineCrew<Job>::job_ended(worker, worker.is_home() && worker.turn() != begun_in);
}

}  // namespace detail

/// Workers on `loop` that run the coroutine `handler(job, context)` for each job, with a `Job&` and a
/// `const JobContext&`, both valid until it has ended; it gives a `Task<>` or a `Task<Outcome>`. What it throws becomes
/// the job's error, or, once its token has fired, counts as giving up. All workers share one handler, on every thread
/// of the loop: it is called as const. Between jobs a worker has no frame. The loop must outlive the pool.
template <class Job, class Handler>
[[nodiscard]] CoroutineFactory<Job> coroutine_worker(EventLoop& loop, Handler handler) {
  using Context = CoroutineContext<Job>;
  CoroutineFactory<Job> factory;
  factory.loop = &loop;
  factory.run_job = [handler = std::make_shared<const Handler>(std::move(handler))](Context& worker,
                                                                                    typename Context::Entry& entry) {
    detail::run_one_job(worker, entry, *handler);
  };
  return factory;
}

/// Workers on `loop` that are the coroutine `body(context)`: called once for each worker, by the control thread, one
/// call at a time; if it throws, the worker could not be started and is tried again later. The coroutine runs on a loop
/// thread. It takes jobs from the context until `take` gives none; if it returns or throws before, the worker counts as
/// crashed. It may use what `body` captured: the pool keeps `body`. The loop must outlive the pool.
template <class Job, class Body>
[[nodiscard]] CoroutineFactory<Job> coroutine_body(EventLoop& loop, Body body) {
  CoroutineFactory<Job> factory;
  factory.loop = &loop;
  factory.body = std::move(body);
  return factory;
}

}  // namespace optimux::pool
