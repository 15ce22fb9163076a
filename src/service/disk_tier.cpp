#include "service/disk_tier.hpp"

#include <limits>
#include <map>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "service/freshness.hpp"
#include "service/rendition_record.hpp"
#include "service/tier_stack.hpp"

namespace optimux::service {
namespace {

DiskStore::Key key_of(const Rendition& rendition) {
  return {rendition.key(), rendition.source()};
}

std::shared_ptr<Rendition> look_up(DiskStore& store, const std::string& key, const std::string& source) {
  const DiskStore::Key place{key, source};
  try {
    auto blob = store.find(place);
    if (!blob) return nullptr;
    auto rendition = decode_record(key, blob->metadata,
                                   std::make_shared<const base::ByteBuffer>(std::move(blob->payload)), blob->stamp);
    // Of another generation: what is made instead takes its place.
    if (!rendition) store.erase(place);
    return rendition;
  } catch (const std::bad_alloc&) {
    return nullptr;  // Then it is a miss: there may be memory for a smaller one.
  }
}

void write(DiskStore& store, const Rendition& rendition) {
  if (rendition.is_revoked()) return;
  const auto validated = rendition.validated_at();
  if (!validated) return;
  const auto reader = rendition.body()->attach();
  const auto pieces = reader.peek_many(std::numeric_limits<std::size_t>::max());
  store.insert(key_of(rendition), encode_record(rendition), pieces, clock_time_of(*validated));
  // Purged meanwhile, and perhaps before it was there to be found.
  if (rendition.is_revoked()) store.erase(key_of(rendition));
}

}  // namespace

/// Renditions that are to be written or are being written. Thread-safe.
class DiskTier::Pending {
 public:
  using Id = std::uint64_t;

  /// Takes a rendition in; 0 if there are too many.
  Id add(const std::shared_ptr<Rendition>& rendition) OPTIMUX_EXCLUDES(mutex_) {
    const std::uint64_t bytes = rendition->body()->memory_size();
    base::MutexLock lock(mutex_);
    if (bytes_ > 0 && bytes_ + bytes > kMaxPendingBytes) return 0;
    bytes_ += bytes;
    entries_.emplace(next_, Entry{rendition, bytes, {}});
    return next_++;
  }

  void remove(Id id) OPTIMUX_EXCLUDES(mutex_) {
    Entry removed;  // let go of after the lock: an erasure may end with it
    base::MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    bytes_ -= found->second.bytes;
    removed = std::move(found->second);
    entries_.erase(found);
  }

  /// Revokes those that are meant; `erasure` is held until each of them has been removed.
  void revoke_if(const std::function<bool(const Rendition& rendition)>& is_meant,
                 const std::shared_ptr<ErasureCount>& erasure) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    for (auto& [_, entry] : entries_) {
      if (!is_meant(*entry.rendition)) continue;
      entry.rendition->revoke();
      entry.erasures.push_back(erasure);
    }
  }

 private:
  struct Entry {
    std::shared_ptr<Rendition> rendition;
    std::uint64_t bytes = 0;
    std::vector<std::shared_ptr<ErasureCount>> erasures;  ///< That end no earlier than it.
  };

  base::Mutex mutex_;
  std::map<Id, Entry> entries_ OPTIMUX_GUARDED_BY(mutex_);
  Id next_ OPTIMUX_GUARDED_BY(mutex_) = 1;
  std::uint64_t bytes_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

DiskTier::DiskTier(std::shared_ptr<DiskStore> store, source::BlockingRunner runner)
    : store_(std::move(store)), runner_(std::move(runner)), pending_(std::make_shared<Pending>()) {
  runner_([store = store_] { store->scan(); });
}

DiskTier::~DiskTier() = default;

void DiskTier::find(const std::string& key, const std::string& source, Found found) {
  const auto shared = std::make_shared<Found>(std::move(found));
  const bool accepted = runner_([store = store_, key, source, shared] { (*shared)(look_up(*store, key, source)); });
  if (!accepted) (*shared)(nullptr);
}

void DiskTier::insert(std::shared_ptr<Rendition> rendition) {
  const auto id = pending_->add(rendition);
  const bool accepted = id != 0 && runner_([store = store_, pending = pending_, rendition, id] {
                          write(*store, *rendition);
                          pending->remove(id);
                        });
  if (accepted) return;
  ++skipped_;
  pending_->remove(id);
}

void DiskTier::renew(std::shared_ptr<Rendition> rendition) {
  const auto validated = rendition->validated_at();
  if (!validated) return;
  runner_(
      [store = store_, rendition, time = clock_time_of(*validated)] { store->set_stamp(key_of(*rendition), time); });
}

void DiskTier::erase_if(const std::function<bool(const Rendition& rendition)>& is_meant,
                        std::function<bool(DiskStore& store)> work, Erased erased) {
  const auto erasure = std::make_shared<ErasureCount>(std::move(erased));
  pending_->revoke_if(is_meant, erasure);
  const bool accepted = runner_([store = store_, work = std::move(work), erasure] {
    if (!work(*store)) erasure->note(base::fail(base::ErrorCode::kInternal, "not all files could be deleted"));
  });
  if (accepted) return;
  erasure->note(base::fail(base::ErrorCode::kOverloaded, "too many files are being read"));
}

void DiskTier::erase(const std::string& key, const std::string& source, Erased erased) {
  erase_if([&key](const Rendition& rendition) { return rendition.key() == key; },
           [key, source](DiskStore& store) {
             return store.erase({key, source});
           },
           std::move(erased));
}

void DiskTier::erase_source(const std::string& source, Erased erased) {
  erase_if([&source](const Rendition& rendition) { return rendition.source() == source; },
           [source](DiskStore& store) { return store.erase_group(source); }, std::move(erased));
}

void DiskTier::clear(Erased erased) {
  erase_if([](const Rendition&) { return true; }, [](DiskStore& store) { return store.clear(); }, std::move(erased));
}

TierFigures DiskTier::figures() const {
  const DiskStoreFigures disk = store_->figures();
  TierFigures figures;
  figures.name = "disk";
  figures.hits = disk.hits;
  figures.misses = disk.misses;
  figures.stored = disk.stored;
  figures.skipped = disk.refused + skipped_;
  figures.evictions = disk.evictions;
  figures.damaged = disk.damaged;
  figures.faults = disk.faults;
  figures.bytes = disk.bytes;
  figures.entries = disk.entries;
  return figures;
}

}  // namespace optimux::service
