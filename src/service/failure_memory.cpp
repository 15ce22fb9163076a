#include "service/failure_memory.hpp"

#include <utility>

namespace optimux::service {
namespace {

/// Between the source and its part; in no canonical text.
constexpr char kSeparator = '\0';

std::string key_of(const source::SourceLocator& source, std::string_view part) {
  std::string key = source.canonical();
  if (!part.empty()) (key += kSeparator).append(part);
  return key;
}

bool is_of(const std::string& key, const std::string& place) {
  return key.starts_with(place) && (key.size() == place.size() || key[place.size()] == kSeparator);
}

}  // namespace

bool FailureMemory::is_lasting(const source::SourceLocator& source, base::ErrorCode code) const {
  if (code == base::ErrorCode::kNotFound) {
    return !has_local_files_ || source.kind != source::SourceLocator::Kind::kFile;
  }
  return code == base::ErrorCode::kUnsupportedMedia || code == base::ErrorCode::kBrokenMedia;
}

void FailureMemory::remember(const source::SourceLocator& source, const base::Error& error, Clock::time_point now,
                             std::string_view part) {
  if (!is_lasting(source, error.code)) return;
  base::MutexLock lock(mutex_);
  if (kept_.count() == 0) return;
  const auto [entry, is_new] = entries_.try_emplace(key_of(source, part), Entry{error, now + kept_});
  if (is_new) order_.push_back(entry->first);
  if (now >= entry->second.until) entry->second = Entry{error, now + kept_};
  if (order_.size() <= kCapacity) return;
  entries_.erase(order_.front());
  order_.pop_front();
}

std::optional<base::Error> FailureMemory::find(const source::SourceLocator& source, Clock::time_point now,
                                               std::string_view part) {
  base::MutexLock lock(mutex_);
  if (entries_.empty()) return std::nullopt;
  const base::Error* error = find_entry(key_of(source, {}), now);
  if (!error && !part.empty()) error = find_entry(key_of(source, part), now);
  if (!error) return std::nullopt;
  ++hits_;
  return *error;
}

const base::Error* FailureMemory::find_entry(const std::string& key, Clock::time_point now) const {
  const auto found = entries_.find(key);
  return found == entries_.end() || now >= found->second.until ? nullptr : &found->second.error;
}

void FailureMemory::forget(const std::string& place) {
  base::MutexLock lock(mutex_);
  if (place.empty()) {
    entries_.clear();
    order_.clear();
  } else {
    std::erase_if(entries_, [&](const auto& entry) { return is_of(entry.first, place); });
    std::erase_if(order_, [&](const std::string& key) { return is_of(key, place); });
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
