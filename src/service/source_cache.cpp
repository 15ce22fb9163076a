#include "service/source_cache.hpp"

#include <cassert>
#include <utility>

namespace optimux::service {
namespace {

/// The list node, the index node, the buffer's object and the allocator's headers: about 500 bytes with libstdc++ on a
/// 64-bit machine.
constexpr std::uint64_t kEntryOverhead = 512;

}  // namespace

std::uint64_t SourceCache::cost_of(std::string_view place, const source::FetchedSource& source) {
  const source::SourceFacts& facts = source.facts;
  return source.bytes->capacity() + place.size() + facts.etag.size() + facts.cache_control.size() + facts.place.size() +
         kEntryOverhead;
}

std::optional<SourceCache::Kept> SourceCache::find(std::string_view place, Clock::time_point now) {
  base::MutexLock lock(mutex_);
  const Entry* entry = entries_.find(place);
  if (!entry) return std::nullopt;
  return Kept{entry->source, is_fresh_now(entry->source.facts, entry->asked, now)};
}

// What leaves is let go of after the lock.

void SourceCache::insert(const std::string& place, source::FetchedSource source, Clock::time_point asked) {
  assert(source.bytes != nullptr && "only sources with bytes are kept");
  const std::uint64_t cost = cost_of(place, source);
  Entries::Removed removed;
  base::MutexLock lock(mutex_);
  removed =
      is_worth_keeping(source.facts) ? entries_.insert({place, std::move(source), asked}, cost) : entries_.erase(place);
}

bool SourceCache::is_worth_keeping(const source::SourceFacts& facts) const {
  if (!facts.freshness.may_be_kept) return false;
  return facts.freshness.lifetime_or(lifetime_).count() > 0 || !facts.validators().empty();
}

void SourceCache::erase(std::string_view place) {
  Entries::Removed removed;
  base::MutexLock lock(mutex_);
  removed = entries_.erase(place);
}

void SourceCache::clear() {
  Entries::Removed removed;
  base::MutexLock lock(mutex_);
  removed = entries_.clear();
}

void SourceCache::set_capacity(std::uint64_t capacity) {
  Entries::Removed removed;
  base::MutexLock lock(mutex_);
  removed = entries_.set_capacity(capacity);
}

void SourceCache::halve() {
  Entries::Removed removed;
  base::MutexLock lock(mutex_);
  removed = entries_.halve();
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
  return entries_.figures();
}

}  // namespace optimux::service
