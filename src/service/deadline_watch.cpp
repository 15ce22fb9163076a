#include "service/deadline_watch.hpp"

#include <utility>

namespace optimux::service {

DeadlineWatch::DeadlineWatch() : thread_([this] { run(); }) {}

DeadlineWatch::Id DeadlineWatch::add(base::Deadline deadline, Callback passed) {
  if (deadline.is_never()) return 0;
  base::MutexLock lock(mutex_);
  const Id id = next_id_++;
  const auto entry = entries_.emplace(deadline.time(), Entry{id, std::move(passed)});
  by_id_.emplace(id, entry);
  if (entry == entries_.begin()) changed_.notify_one();
  return id;
}

void DeadlineWatch::remove(Id id) {
  Entries::node_type removed;  // the callback may own its caller, so it is destroyed after the lock
  base::MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  removed = entries_.extract(found->second);
  by_id_.erase(found);
}

void DeadlineWatch::stop() {
  Entries removed;
  {
    base::MutexLock lock(mutex_);
    is_stopping_ = true;
    removed.swap(entries_);
    by_id_.clear();
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void DeadlineWatch::run() {
  while (const Callback passed = wait_for_next()) passed();
}

DeadlineWatch::Callback DeadlineWatch::wait_for_next() {
  base::MutexLock lock(mutex_);
  while (!is_stopping_) {
    if (entries_.empty()) {
      changed_.wait(mutex_);
    } else if (const Time first = entries_.begin()->first; base::Deadline::Clock::now() >= first) {
      return take_first();
    } else {
      changed_.wait_until(mutex_, first);
    }
  }
  return nullptr;
}

DeadlineWatch::Callback DeadlineWatch::take_first() {
  auto node = entries_.extract(entries_.begin());
  by_id_.erase(node.mapped().id);
  return std::move(node.mapped().passed);
}

}  // namespace optimux::service
