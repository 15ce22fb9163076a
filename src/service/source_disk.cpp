#include "service/source_disk.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <span>
#include <utility>

#include "base/mutex.hpp"
#include "service/source_record.hpp"

namespace optimux::service {
namespace {

using source::FetchedSource;
using std::chrono::system_clock;

DiskStore::Key key_of(const std::string& place) {
  return {place, place};
}

system_clock::time_point clock_time_of(SourceDisk::Clock::time_point moment) {
  return system_clock::now() + std::chrono::duration_cast<system_clock::duration>(moment - SourceDisk::Clock::now());
}

/// A time that is still to come was noted under another clock: nobody knows how long ago that is.
std::optional<SourceDisk::Clock::time_point> moment_of(system_clock::time_point time) {
  const auto age = system_clock::now() - time;
  if (age < system_clock::duration::zero()) return std::nullopt;
  return SourceDisk::Clock::now() - age;
}

std::optional<SourceDisk::Kept> look_up(DiskStore& store, const std::string& place) {
  auto blob = store.find(key_of(place));
  if (!blob) return std::nullopt;
  auto facts = decode_source_facts(blob->metadata);
  const auto asked = moment_of(blob->stamp);
  if (!facts || !asked) {
    store.erase(key_of(place));
    return std::nullopt;
  }
  auto bytes = std::make_shared<const base::ByteBuffer>(std::move(blob->payload));
  return SourceDisk::Kept{{std::move(bytes), *std::move(facts)}, *asked};
}

}  // namespace

/// Sources that are to be written or are being written. Thread-safe.
class SourceDisk::Pending {
 public:
  struct Entry {
    Entry(std::string of, std::uint64_t size) : place(std::move(of)), bytes(size) {}
    const std::string place;
    const std::uint64_t bytes;
    std::atomic<bool> is_revoked = false;
  };
  using SharedEntry = std::shared_ptr<Entry>;

  /// Takes a source in; null if there are too many.
  SharedEntry add(const std::string& place, std::uint64_t bytes) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (bytes_ > 0 && bytes_ + bytes > kMaxPendingBytes) return nullptr;
    bytes_ += bytes;
    auto entry = std::make_shared<Entry>(place, bytes);
    entries_.emplace(place, entry);
    return entry;
  }

  void remove(const SharedEntry& entry) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    bytes_ -= entry->bytes;
    const auto [begin, end] = entries_.equal_range(entry->place);
    entries_.erase(std::find_if(begin, end, [&](const auto& other) { return other.second == entry; }));
  }

  /// Of `place`, or of all for an empty text.
  void revoke(const std::string& place) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    for (const auto& [_, entry] : entries_) {
      if (place.empty() || entry->place == place) entry->is_revoked = true;
    }
  }

  /// Whether something of `place` that was revoked may still be written, to be deleted at once.
  bool has_revoked(const std::string& place) const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    const auto [begin, end] = entries_.equal_range(place);
    return std::any_of(begin, end, [](const auto& entry) { return entry.second->is_revoked.load(); });
  }

 private:
  mutable base::Mutex mutex_;
  std::multimap<std::string, SharedEntry> entries_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t bytes_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

SourceDisk::SourceDisk(std::shared_ptr<DiskStore> store, source::BlockingRunner runner)
    : store_(std::move(store)), runner_(std::move(runner)), pending_(std::make_shared<Pending>()) {
  runner_([store = store_] { store->scan(); });
}

SourceDisk::~SourceDisk() = default;

void SourceDisk::find(const std::string& place, Found found) {
  const auto shared = std::make_shared<Found>(std::move(found));
  const bool accepted = runner_([store = store_, pending = pending_, place, shared] {
    std::optional<Kept> kept;
    try {
      if (!pending->has_revoked(place)) kept = look_up(*store, place);
    } catch (const std::bad_alloc&) {
      kept.reset();  // Then it is a miss: the origin is asked within limits of its own.
    }
    (*shared)(std::move(kept));
  });
  if (!accepted) (*shared)(std::nullopt);
}

void SourceDisk::insert(const std::string& place, const FetchedSource& source, Clock::time_point asked) {
  if (!source.facts.freshness.may_be_kept) return erase(place);
  const auto entry = pending_->add(place, source.bytes->size());
  if (!entry) return;
  const bool accepted = runner_([store = store_, pending = pending_, entry, source, asked] {
    if (!entry->is_revoked) {
      const std::span<const std::byte> bytes(source.bytes->data(), source.bytes->size());
      store->insert(key_of(entry->place), encode_source_facts(source.facts), std::span(&bytes, 1),
                    clock_time_of(asked));
    }
    // Perhaps before it was there to be found.
    if (entry->is_revoked) store->erase(key_of(entry->place));
    pending->remove(entry);
  });
  if (!accepted) pending_->remove(entry);
}

void SourceDisk::confirm(const std::string& place, const source::SourceFacts& before, const FetchedSource& confirmed,
                         Clock::time_point asked) {
  const bool is_same = encode_source_facts(before) == encode_source_facts(confirmed.facts);
  if (!is_same || !confirmed.facts.freshness.may_be_kept) return insert(place, confirmed, asked);
  runner_([store = store_, place, asked] { store->set_stamp(key_of(place), clock_time_of(asked)); });
}

void SourceDisk::erase(const std::string& place, Erased erased) {
  pending_->revoke(place);
  const auto shared = std::make_shared<Erased>(std::move(erased));
  const bool accepted = runner_([store = store_, place, shared] {
    place.empty() ? static_cast<void>(store->clear()) : static_cast<void>(store->erase(key_of(place)));
    (*shared)({});
  });
  if (accepted) return;
  (*shared)(
      base::fail(base::ErrorCode::kOverloaded, "too many files are being read", "the runner of blocking work refused"));
}

}  // namespace optimux::service
