#include "service/failure_memory.hpp"

#include <utility>

namespace optimux::service {
namespace {

bool is_lasting(base::ErrorCode code) {
  return code == base::ErrorCode::kNotFound || code == base::ErrorCode::kUnsupportedMedia ||
         code == base::ErrorCode::kBrokenMedia;
}

}  // namespace

void FailureMemory::remember(const source::SourceLocator& source, const base::Error& error, Clock::time_point now) {
  if (!is_lasting(error.code)) return;
  base::MutexLock lock(mutex_);
  if (kept_.count() == 0) return;
  const auto [entry, is_new] = entries_.insert_or_assign(source.canonical(), Entry{error, now + kept_});
  if (is_new) order_.push_back(entry->first);
  if (order_.size() <= kCapacity) return;
  entries_.erase(order_.front());
  order_.pop_front();
}

std::optional<base::Error> FailureMemory::find(const source::SourceLocator& source, Clock::time_point now) const {
  base::MutexLock lock(mutex_);
  if (entries_.empty()) return std::nullopt;
  const auto found = entries_.find(source.canonical());
  if (found == entries_.end() || now >= found->second.until) return std::nullopt;
  return found->second.error;
}

void FailureMemory::forget(const std::string& source) {
  base::MutexLock lock(mutex_);
  if (source.empty()) {
    for (auto& [_, entry] : entries_) entry.until = {};
  } else if (const auto found = entries_.find(source); found != entries_.end()) {
    found->second.until = {};  // Its place in the order stays: it goes when its turn comes.
  }
}

void FailureMemory::set_time(std::chrono::milliseconds kept) {
  base::MutexLock lock(mutex_);
  kept_ = kept;
  if (kept.count() != 0) return;
  entries_.clear();
  order_.clear();
}

}  // namespace optimux::service
