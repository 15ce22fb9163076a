#include "source/pending_fetches.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "source/object_store.hpp"
#include "source/pending_reads.hpp"

namespace optimux::source {
namespace {

using base::ErrorCode;
using base::MutexLock;

// Rounded up, so that the deadline has passed when the timer fires; a day at most, because timers count in narrow
// types.
std::chrono::milliseconds until(base::Deadline deadline) {
  return std::min(std::chrono::ceil<std::chrono::milliseconds>(deadline.remaining()),
                  std::chrono::milliseconds(std::chrono::hours(24)));
}

base::Error cancelled() {
  return {ErrorCode::kCancelled, "the request was cancelled", "stop requested"};
}
base::Error out_of_time() {
  return {ErrorCode::kDeadlineExceeded, "the request ran out of time",
          "deadline passed while the source or object was on its way"};
}
base::Error shutting_down() {
  return {ErrorCode::kShuttingDown, "the server is shutting down", "source closed"};
}

}  // namespace

template <class Value>
PendingResults<Value>::~PendingResults() {
  assert(entries_.empty() && "close() comes before the end of its owner");
}

template <class Value>
typename PendingResults<Value>::Id PendingResults<Value>::add(Callback callback, base::Deadline deadline,
                                                              const std::stop_token& stop,
                                                              std::function<void(Id)> release) {
  const Id id = take_in(callback, release);
  assert(id != 0 && "no fetch after close()");
  watch(id, deadline, stop);
  return id;
}

template <class Value>
typename PendingResults<Value>::Id PendingResults<Value>::add_unless_closed(Callback callback, base::Deadline deadline,
                                                                            const std::stop_token& stop,
                                                                            std::function<void(Id)> release) {
  const Id id = take_in(callback, release);
  if (id == 0) {
    callback(base::fail(shutting_down()));
  } else {
    watch(id, deadline, stop);
  }
  return id;
}

template <class Value>
typename PendingResults<Value>::Id PendingResults<Value>::take_in(Callback& callback,
                                                                  std::function<void(Id)>& release) {
  const MutexLock lock(mutex_);
  if (closed_) return 0;
  const Id id = next_++;
  entries_.emplace(id, Entry{std::move(callback), std::move(release), nullptr, 0});
  return id;
}

template <class Value>
void PendingResults<Value>::watch(Id id, base::Deadline deadline, const std::stop_token& stop) {
  listen_for_stop(id, stop);
  if (!deadline.is_never()) post([id, deadline](PendingResults& self) { self.start_deadline(id, deadline); });
}

template <class Value>
void PendingResults<Value>::run_in_loop(std::function<void()> task) {
  post([task = std::move(task)](PendingResults& self) {
    if (!self.is_closed()) task();
  });
}

template <class Value>
void PendingResults<Value>::finish(Id id, base::Result<Value> result) {
  post([id, result = std::move(result)](PendingResults& self) { self.end(id, result); });
}

template <class Value>
bool PendingResults<Value>::contains(Id id) const {
  const MutexLock lock(mutex_);
  return entries_.count(id) != 0;
}

template <class Value>
bool PendingResults<Value>::is_closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

template <class Value>
void PendingResults<Value>::close() {
  std::map<Id, Entry> entries;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    entries.swap(entries_);
  }
  for (auto& [id, entry] : entries) conclude(id, std::move(entry), base::fail(shutting_down()));
}

// The lock is held across the reactor's `post`, so that `close` cannot return, and the reactor go, in between.
template <class Value>
void PendingResults<Value>::post(std::function<void(PendingResults&)> task) {
  const MutexLock lock(mutex_);
  if (closed_) return;
  reactor_.post([weak = this->weak_from_this(), task = std::move(task)] {
    if (const auto self = weak.lock()) task(*self);
  });
}

template <class Value>
void PendingResults<Value>::listen_for_stop(Id id, const std::stop_token& stop) {
  if (!stop.stop_possible()) return;
  // Made and destroyed without the lock: making it may call it, and destroying it waits for a call under way.
  auto on_stop = std::make_unique<StopCallback>(
      stop, [this, id] { post([id](PendingResults& self) { self.end(id, base::fail(cancelled())); }); });
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end()) found->second.on_stop.swap(on_stop);
}

template <class Value>
void PendingResults<Value>::start_deadline(Id id, base::Deadline deadline) {
  if (!contains(id)) return;
  const auto timer = reactor_.start_timer(until(deadline), [weak = this->weak_from_this(), id, deadline] {
    const auto self = weak.lock();
    if (!self) return;
    if (!deadline.has_passed()) return self->start_deadline(id, deadline);
    self->end(id, base::fail(out_of_time()));
  });
  const MutexLock lock(mutex_);
  entries_.at(id).deadline_timer = timer;  // Entries go in the loop's thread only, which is this one.
}

template <class Value>
void PendingResults<Value>::end(Id id, base::Result<Value> result) {
  Entry entry;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    entry = std::move(found->second);
    entries_.erase(found);
  }
  conclude(id, std::move(entry), std::move(result));
}

template <class Value>
void PendingResults<Value>::conclude(Id id, Entry entry, base::Result<Value> result) {
  entry.on_stop.reset();
  if (entry.deadline_timer != 0) reactor_.cancel_timer(entry.deadline_timer);
  entry.release(id);
  entry.callback(std::move(result));
}

template class PendingResults<FetchedSource>;
template class PendingResults<ObjectAnswer>;
template class PendingResults<std::shared_ptr<RangedFile>>;
template class PendingResults<std::shared_ptr<const base::ByteBuffer>>;

}  // namespace optimux::source
