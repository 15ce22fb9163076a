#include "service/failure_memory.hpp"

#include <utility>

namespace optimux::service {
namespace {

bool is_lasting(const source::SourceLocator& source, base::ErrorCode code) {
  if (code == base::ErrorCode::kNotFound) return source.kind != source::SourceLocator::Kind::kFile;
  return code == base::ErrorCode::kUnsupportedMedia || code == base::ErrorCode::kBrokenMedia;
}

}  // namespace

void FailureMemory::remember(const source::SourceLocator& source, const base::Error& error, Clock::time_point now) {
  if (!is_lasting(source, error.code)) return;
  base::MutexLock lock(mutex_);
  if (kept_.count() == 0) return;
  const auto [entry, is_new] = entries_.try_emplace(source.canonical(), Entry{error, now + kept_});
  if (is_new) order_.push_back(entry->first);
  if (now >= entry->second.until) entry->second = Entry{error, now + kept_};
  if (order_.size() <= kCapacity) return;
  entries_.erase(order_.front());
  order_.pop_front();
}

std::optional<base::Error> FailureMemory::find(const source::SourceLocator& source, Clock::time_point now) {
  base::MutexLock lock(mutex_);
  if (entries_.empty()) return std::nullopt;
  const auto found = entries_.find(source.canonical());
  if (found == entries_.end() || now >= found->second.until) return std::nullopt;
  ++hits_;
  return found->second.error;
}

void FailureMemory::forget(const std::string& place) {
  base::MutexLock lock(mutex_);
  if (place.empty()) {
    entries_.clear();
    order_.clear();
  } else if (entries_.erase(place) > 0) {
    std::erase(order_, place);
  }
}

void FailureMemory::set_time(std::chrono::milliseconds kept) {
  base::MutexLock lock(mutex_);
  kept_ = kept;
  if (kept.count() != 0) return;
  entries_.clear();
  order_.clear();
}

std::uint64_t FailureMemory::hits() const {
  base::MutexLock lock(mutex_);
  return hits_;
}

}  // namespace optimux::service
