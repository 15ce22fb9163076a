#include "service/disk_index.hpp"

#include <algorithm>
#include <utility>

namespace optimux::service {

DiskIndex::DiskIndex(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& left, const Entry& right) { return left.used < right.used; });
  by_name_.reserve(entries.size());
  for (const Entry& entry : entries) put(entry.name, entry.bytes, entry.used);
}

void DiskIndex::put(const BlobName& name, std::uint64_t bytes, Time now) {
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    bytes_ += bytes - known->second->bytes;
    known->second->bytes = bytes;
    known->second->used = now;
    entries_.splice(entries_.begin(), entries_, known->second);
    return;
  }
  entries_.push_front({name, bytes, now});
  by_name_.emplace(name, entries_.begin());
  bytes_ += bytes;
}

void DiskIndex::remove(const BlobName& name) {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return;
  bytes_ -= known->second->bytes;
  entries_.erase(known->second);
  by_name_.erase(known);
}

std::optional<DiskIndex::Time> DiskIndex::last_use(const BlobName& name) const {
  const auto known = by_name_.find(name);
  return known == by_name_.end() ? std::nullopt : std::optional(known->second->used);
}

std::optional<DiskIndex::Entry> DiskIndex::take_oldest() {
  if (entries_.empty()) return std::nullopt;
  const Entry oldest = entries_.back();
  remove(oldest.name);
  return oldest;
}

void DiskIndex::take_over_recent(const DiskIndex& older, Time since) {
  // From the oldest of them to the newest, so that their order stays.
  auto first = older.entries_.begin();
  while (first != older.entries_.end() && first->used >= since) ++first;
  while (first != older.entries_.begin()) {
    --first;
    put(first->name, first->bytes, first->used);
  }
}

}  // namespace optimux::service
