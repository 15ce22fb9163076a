#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "service/blob_name.hpp"

namespace optimux::service {

/// What lies in the folder of a `DiskStore`, as far as this process knows: names, sizes, and the order of last use. No
/// disk is touched here. About 130 bytes of memory a blob. Not thread-safe.
///
/// Invariants: the list holds every entry once, the one used last first; the map points at each of them; `bytes` is the
/// sum of their sizes.
class DiskIndex {
 public:
  using Time = std::chrono::system_clock::time_point;

  struct Entry {
    BlobName name;
    std::uint64_t bytes = 0;  ///< That it takes on disk.
    Time used;
  };

  /// Of nothing.
  DiskIndex() = default;
  /// Of `entries`, in any order.
  explicit DiskIndex(std::vector<Entry> entries);

  /// Notes a blob that is new, or has been replaced, or was found: now the one used last.
  void put(const BlobName& name, std::uint64_t bytes, Time now);
  /// Forgets a blob; nothing happens if it is not known.
  void remove(const BlobName& name);
  /// When a blob was used last; nothing if it is not known.
  std::optional<Time> last_use(const BlobName& name) const;
  /// Takes out the blob that was used longest ago.
  std::optional<Entry> take_oldest();
  /// Takes over what `older` knows to have been used at `since` or later.
  void take_over_recent(const DiskIndex& older, Time since);

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t entries() const { return entries_.size(); }

 private:
  using Entries = std::list<Entry>;

  Entries entries_;
  std::unordered_map<BlobName, Entries::iterator, BlobName::Hash> by_name_;
  std::uint64_t bytes_ = 0;
};

}  // namespace optimux::service
