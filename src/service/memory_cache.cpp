#include "service/memory_cache.hpp"

#include <cassert>
#include <utility>

namespace optimux::service {
namespace {

/// The rendition and body objects, the list node, the index node and the allocator's headers: about 700 bytes with
/// libstdc++ on a 64-bit machine. Without it a million tiny renditions would cost far more than they count.
constexpr std::uint64_t kEntryOverhead = 1024;

}  // namespace

std::uint64_t MemoryCache::cost_of(const Rendition& rendition) {
  return rendition.body()->memory_size() + rendition.key().size() + kEntryOverhead;
}

std::shared_ptr<Rendition> MemoryCache::find(std::string_view key, Clock::time_point now) {
  base::MutexLock lock(mutex_);
  const auto* kept = renditions_.peek(key);
  if (!kept) return nullptr;
  // One that is not fresh any more keeps its place: its source may turn out to be the same.
  const auto validated = (*kept)->validated_at();
  if (validated && now - *validated >= lifetime_) return nullptr;
  return *renditions_.find(key);
}

std::shared_ptr<Rendition> MemoryCache::find_kept(std::string_view key) const {
  base::MutexLock lock(mutex_);
  const auto* kept = renditions_.peek(key);
  return kept ? *kept : nullptr;
}

// What leaves is let go of after the lock.

void MemoryCache::insert(std::shared_ptr<Rendition> rendition) {
  assert(rendition->body()->state() == base::SharedBody::State::kComplete && "only whole renditions are kept");
  const std::uint64_t cost = cost_of(*rendition);
  Renditions::Removed removed;
  base::MutexLock lock(mutex_);
  removed = renditions_.insert(std::move(rendition), cost);
}

void MemoryCache::erase_if(const std::function<bool(const Rendition& rendition)>& predicate) {
  Renditions::Removed removed;
  base::MutexLock lock(mutex_);
  removed = renditions_.erase_if([&](const auto& rendition) { return predicate(*rendition); });
}

void MemoryCache::set_capacity(std::uint64_t capacity) {
  Renditions::Removed removed;
  base::MutexLock lock(mutex_);
  removed = renditions_.set_capacity(capacity);
}

void MemoryCache::halve() {
  Renditions::Removed removed;
  base::MutexLock lock(mutex_);
  removed = renditions_.halve();
}

void MemoryCache::set_lifetime(std::chrono::milliseconds lifetime) {
  base::MutexLock lock(mutex_);
  lifetime_ = lifetime;
}

MemoryCache::Figures MemoryCache::figures() const {
  base::MutexLock lock(mutex_);
  return renditions_.figures();
}

}  // namespace optimux::service
