#include "service/memory_cache.hpp"

#include <cassert>
#include <utility>

namespace optimux::service {
namespace {

/// The rendition and body objects, the list node, the index node and the allocator's headers: about 700 bytes with
/// libstdc++ on a 64-bit machine. Without it a million tiny renditions would cost far more than they count.
constexpr std::uint64_t kEntryOverhead = 1024;
constexpr std::uint64_t kLargestShare = 4;

}  // namespace

std::uint64_t MemoryCache::cost_of(const Rendition& rendition) {
  return rendition.body()->memory_size() + rendition.key().size() + kEntryOverhead;
}

std::shared_ptr<Rendition> MemoryCache::find(std::string_view key, Clock::time_point now) {
  base::MutexLock lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  // One that is not fresh any more keeps its place: its source may turn out to be the same.
  const auto validated = found->second->rendition->validated_at();
  if (validated && now - *validated >= lifetime_) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->rendition;
}

std::shared_ptr<Rendition> MemoryCache::find_kept(std::string_view key) const {
  base::MutexLock lock(mutex_);
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : found->second->rendition;
}

void MemoryCache::erase_if(const std::function<bool(const Rendition& rendition)>& predicate) {
  Entries removed;
  base::MutexLock lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (predicate(*entry->rendition)) unlink(entry, removed);
    entry = next;
  }
}

void MemoryCache::insert(std::shared_ptr<Rendition> rendition) {
  assert(rendition->body()->state() == base::SharedBody::State::kComplete && "only whole renditions are kept");
  const std::uint64_t cost = cost_of(*rendition);
  Entries removed;  // destroyed after the lock: freeing a large body takes time
  base::MutexLock lock(mutex_);
  if (cost > capacity_ / kLargestShare) return;
  if (const auto old = index_.find(rendition->key()); old != index_.end()) unlink(old->second, removed);
  entries_.push_front(Entry{std::move(rendition), cost});
  index_.emplace(entries_.front().rendition->key(), entries_.begin());
  bytes_ += cost;
  evict_above(capacity_, removed);
}

void MemoryCache::set_capacity(std::uint64_t capacity) {
  Entries removed;
  base::MutexLock lock(mutex_);
  capacity_ = capacity;
  evict_above(capacity_, removed);
}

void MemoryCache::halve() {
  Entries removed;
  base::MutexLock lock(mutex_);
  evict_above(bytes_ / 2, removed);
}

void MemoryCache::set_lifetime(std::chrono::milliseconds lifetime) {
  base::MutexLock lock(mutex_);
  lifetime_ = lifetime;
}

MemoryCache::Figures MemoryCache::figures() const {
  base::MutexLock lock(mutex_);
  return {bytes_, entries_.size(), evictions_};
}

void MemoryCache::unlink(Entries::iterator entry, Entries& removed) {
  bytes_ -= entry->cost;
  index_.erase(entry->rendition->key());
  removed.splice(removed.end(), entries_, entry);
}

void MemoryCache::evict_above(std::uint64_t bytes, Entries& removed) {
  while (bytes_ > bytes) {
    unlink(std::prev(entries_.end()), removed);
    ++evictions_;
  }
}

}  // namespace optimux::service
