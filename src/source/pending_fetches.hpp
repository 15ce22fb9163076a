#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>

#include "base/deadline.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "source/reactor.hpp"
#include "source/source.hpp"

namespace optimux::source {

/// Keeps the promise of `FetchCallback`, and of `ObjectCallback`, for every backend: each callback is called exactly
/// once, in the loop's thread and never from inside `fetch`, with the first of these to come: the backend's result, a
/// stop, the deadline, the end of the backend.
///
/// Owned by the backend and shared with work that is still under way when the backend goes. Lifetime: `close` is
/// called, in the loop's thread, before the reactor goes; afterwards the reactor is not touched any more.
///
/// `Value` is FetchedSource, ObjectAnswer, or what is waited for in `pending_reads.hpp`.
template <class Value>
class PendingResults : public std::enable_shared_from_this<PendingResults<Value>> {
 public:
  using Id = std::uint64_t;
  using Callback = std::function<void(base::Result<Value>)>;

  /// `reactor` must live until `close` has returned.
  explicit PendingResults(Reactor& reactor) : reactor_(reactor) {}
  PendingResults(const PendingResults&) = delete;
  PendingResults& operator=(const PendingResults&) = delete;
  ~PendingResults() OPTIMUX_EXCLUDES(mutex_);

  /// Takes a fetch in. `release` is called once, in the loop's thread and just before the callback: it ends the work,
  /// if there is still any, and frees what it holds. Any thread; does not block. The object must be owned by a
  /// shared_ptr.
  Id add(Callback callback, base::Deadline deadline, const std::stop_token& stop, std::function<void(Id)> release)
      OPTIMUX_EXCLUDES(mutex_);

  /// As `add`, but may be called after `close`: it then calls `callback` with kShuttingDown before it returns, and
  /// returns 0, the id of nothing.
  Id add_unless_closed(Callback callback, base::Deadline deadline, const std::stop_token& stop,
                       std::function<void(Id)> release) OPTIMUX_EXCLUDES(mutex_);

  /// Runs `task` in the loop's thread, soon, unless `close` has been called or comes first. Any thread.
  void run_in_loop(std::function<void()> task) OPTIMUX_EXCLUDES(mutex_);

  /// The backend's result. It reaches the callback through the loop, unless the fetch has ended before. Any thread.
  void finish(Id id, base::Result<Value> result) OPTIMUX_EXCLUDES(mutex_);

  /// True as long as the callback has not been called. Any thread.
  bool contains(Id id) const OPTIMUX_EXCLUDES(mutex_);

  /// Ends all fetches with kShuttingDown, before it returns. `add` must not be called any more. The loop's thread.
  void close() OPTIMUX_EXCLUDES(mutex_);

 private:
  using StopCallback = std::stop_callback<std::function<void()>>;
  struct Entry {
    Callback callback;
    std::function<void(Id)> release;
    std::unique_ptr<StopCallback> on_stop;
    Reactor::TimerId deadline_timer = 0;
  };

  bool is_closed() const OPTIMUX_EXCLUDES(mutex_);
  Id take_in(Callback& callback, std::function<void(Id)>& release) OPTIMUX_EXCLUDES(mutex_);
  void watch(Id id, base::Deadline deadline, const std::stop_token& stop) OPTIMUX_EXCLUDES(mutex_);
  void post(std::function<void(PendingResults&)> task) OPTIMUX_EXCLUDES(mutex_);
  void listen_for_stop(Id id, const std::stop_token& stop) OPTIMUX_EXCLUDES(mutex_);
  void start_deadline(Id id, base::Deadline deadline) OPTIMUX_EXCLUDES(mutex_);
  void end(Id id, base::Result<Value> result) OPTIMUX_EXCLUDES(mutex_);
  void conclude(Id id, Entry entry, base::Result<Value> result) OPTIMUX_EXCLUDES(mutex_);

  Reactor& reactor_;
  mutable base::Mutex mutex_;
  Id next_ OPTIMUX_GUARDED_BY(mutex_) = 1;
  bool closed_ OPTIMUX_GUARDED_BY(mutex_) = false;
  std::map<Id, Entry> entries_ OPTIMUX_GUARDED_BY(mutex_);
};

using PendingFetches = PendingResults<FetchedSource>;

}  // namespace optimux::source
