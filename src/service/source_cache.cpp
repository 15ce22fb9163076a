#include "service/source_cache.hpp"

#include <cassert>
#include <utility>

namespace optimux::service {
namespace {

/// The list node, the index node, the buffer's object and the allocator's headers: about 500 bytes with libstdc++ on a
/// 64-bit machine.
constexpr std::uint64_t kEntryOverhead = 512;
constexpr std::uint64_t kLargestShare = 4;

}  // namespace

std::uint64_t SourceCache::cost_of(std::string_view place, const source::FetchedSource& source) {
  const source::SourceFacts& facts = source.facts;
  return source.bytes->capacity() + place.size() + facts.etag.size() + facts.cache_control.size() + facts.place.size() +
         kEntryOverhead;
}

std::optional<SourceCache::Kept> SourceCache::find(std::string_view place, Clock::time_point now) {
  base::MutexLock lock(mutex_);
  const auto found = index_.find(place);
  if (found == index_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  const Entry& entry = *found->second;
  return Kept{entry.source, is_fresh_now(entry.source.facts, entry.asked, now)};
}

void SourceCache::insert(const std::string& place, source::FetchedSource source, Clock::time_point asked) {
  assert(source.bytes != nullptr && "only sources with bytes are kept");
  const std::uint64_t cost = cost_of(place, source);
  Entries removed;  // destroyed after the lock: freeing a large source takes time
  base::MutexLock lock(mutex_);
  if (const auto old = index_.find(place); old != index_.end()) unlink(old->second, removed);
  if (!is_worth_keeping(source.facts, cost)) return;
  entries_.push_front(Entry{place, std::move(source), asked, cost});
  index_.emplace(entries_.front().place, entries_.begin());
  bytes_ += cost;
  evict_above(capacity_, removed);
}

bool SourceCache::is_worth_keeping(const source::SourceFacts& facts, std::uint64_t cost) const {
  if (!facts.freshness.may_be_kept || cost > capacity_ / kLargestShare) return false;
  return facts.freshness.lifetime_or(lifetime_).count() > 0 || !facts.validators().empty();
}

void SourceCache::erase(std::string_view place) {
  Entries removed;
  base::MutexLock lock(mutex_);
  if (const auto found = index_.find(place); found != index_.end()) unlink(found->second, removed);
}

void SourceCache::clear() {
  Entries removed;
  base::MutexLock lock(mutex_);
  index_.clear();
  removed.swap(entries_);
  bytes_ = 0;
}

void SourceCache::set_capacity(std::uint64_t capacity) {
  Entries removed;
  base::MutexLock lock(mutex_);
  capacity_ = capacity;
  evict_above(capacity_, removed);
}

void SourceCache::halve() {
  Entries removed;
  base::MutexLock lock(mutex_);
  evict_above(bytes_ / 2, removed);
}

void SourceCache::set_lifetime(std::chrono::milliseconds lifetime) {
  base::MutexLock lock(mutex_);
  lifetime_ = lifetime;
}

bool SourceCache::is_fresh(const source::FetchedSource& source, Clock::time_point asked, Clock::time_point now) const {
  base::MutexLock lock(mutex_);
  return is_fresh_now(source.facts, asked, now);
}

bool SourceCache::is_fresh_now(const source::SourceFacts& facts, Clock::time_point asked, Clock::time_point now) const {
  return facts.freshness.may_be_kept && now - asked < facts.freshness.lifetime_or(lifetime_);
}

SourceCache::Figures SourceCache::figures() const {
  base::MutexLock lock(mutex_);
  return {bytes_, entries_.size(), evictions_};
}

void SourceCache::unlink(Entries::iterator entry, Entries& removed) {
  bytes_ -= entry->cost;
  index_.erase(entry->place);
  removed.splice(removed.end(), entries_, entry);
}

void SourceCache::evict_above(std::uint64_t bytes, Entries& removed) {
  while (bytes_ > bytes) {
    unlink(std::prev(entries_.end()), removed);
    ++evictions_;
  }
}

}  // namespace optimux::service
