#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "service/blob_file.hpp"
#include "service/blob_name.hpp"
#include "service/disk_calls.hpp"
#include "service/disk_index.hpp"
#include "service/paced_log.hpp"

namespace optimux::service {

/// What a `DiskStore` may take.
struct DiskStoreLimits {
  std::uint64_t capacity = 4ull << 30;    ///< Bytes on disk of all blobs; 0 keeps none.
  std::uint64_t min_free = 512ull << 20;  ///< Bytes of the file system that are left to others.
  std::chrono::milliseconds keep_unused{std::chrono::hours(30 * 24)};  ///< Since the last use; 0: for ever.
};

/// Counts since the start, and levels of now.
struct DiskStoreFigures {
  std::uint64_t bytes = 0;    ///< On disk, as far as this process knows.
  std::uint64_t entries = 0;  ///< As far as this process knows.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stored = 0;
  std::uint64_t evictions = 0;  ///< Blobs that had to make room, or were not used for too long.
  std::uint64_t refused = 0;    ///< Blobs that were too large to be kept.
  std::uint64_t damaged = 0;    ///< Files whose bytes were not those that had been written; they were deleted.
  std::uint64_t faults = 0;     ///< Calls to the system that failed: the disk is full, read-only, broken or gone.
};

/// A bounded folder of blobs: bytes under a key, with a little metadata, kept until room is needed. A cache, so losing
/// a blob is allowed at any time, and giving out a wrong one never is.
///
/// On disk: one file a blob at `a/bc/NAME` (`BlobName`), written as `tmp/RANDOM` and renamed, so that whoever opens it
/// sees all of it or nothing. Its checksum is checked on every read, and a file that does not pass is deleted. Nothing
/// is synchronised to the disk: after a crash of the machine the checksum finds what was not written. The time of last
/// modification is the owner's (`Blob::stamp`), that of last access the time of last use.
///
/// Several processes may share a folder: the files are the truth, the index of each process is a guess about them that
/// is renewed from time to time. Together they may go over the capacity by what is written between two renewals, a
/// sixteenth of it for each. A half-written file of a process that was killed is deleted by the next one that starts;
/// it is told from one that is being written by the lock on it.
///
/// What fails (no room, no permission, no folder) costs a blob and a count, and a line in the log once a minute; the
/// folder is made anew when it has vanished. All functions but `figures` and `set_limits` block for as long as the disk
/// does: call them through a `source::BlockingRunner`. Thread-safe.
class DiskStore {
 public:
  /// Names a blob. Blobs of one group can be erased together.
  struct Key {
    std::string_view key;
    std::string_view group;
  };

  /// Makes the folder if it is missing, and what is above it. `log` and `calls` must outlive the store.
  /// kInvalidParameter if the folder is none, or may not be made or searched; a disk that is full or read-only is no
  /// error.
  static base::Result<std::unique_ptr<DiskStore>> make(std::string folder, const DiskStoreLimits& limits,
                                                       base::LogSink& log, DiskCalls& calls = system_disk_calls());

  /// Finds out what lies in the folder, and deletes what other processes have left behind, what has not been used for
  /// too long and what is over the limits. To be called once after the start; everything else may be called before.
  void scan() OPTIMUX_EXCLUDES(mutex_);

  /// The blob of that key; nothing if there is none, or none that is whole.
  std::optional<Blob> find(const Key& key) OPTIMUX_EXCLUDES(mutex_);

  /// Keeps a blob, in place of one with the same key, and says whether it does. One that would take more than a quarter
  /// of the capacity is refused. `stamp` is for its owner, with a precision of microseconds at least.
  bool insert(const Key& key, std::string_view metadata, std::span<const std::span<const std::byte>> payload,
              std::chrono::system_clock::time_point stamp) OPTIMUX_EXCLUDES(mutex_);

  /// Sets the stamp of a blob, if there is one. No byte of it is written.
  void set_stamp(const Key& key, std::chrono::system_clock::time_point stamp) OPTIMUX_EXCLUDES(mutex_);

  /// Deletes a blob, those of a group, or all, whichever process has written them. False if some may be left, because
  /// the system failed.
  bool erase(const Key& key) OPTIMUX_EXCLUDES(mutex_);
  bool erase_group(std::string_view group) OPTIMUX_EXCLUDES(mutex_);
  bool clear() OPTIMUX_EXCLUDES(mutex_);

  /// From now on these hold; what is over them goes with the next insertion.
  void set_limits(const DiskStoreLimits& limits) OPTIMUX_EXCLUDES(mutex_);

  DiskStoreFigures figures() const OPTIMUX_EXCLUDES(mutex_);

  const std::string& folder() const { return folder_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Time = std::chrono::system_clock::time_point;
  class Reservation;

  DiskStore(std::string folder, const DiskStoreLimits& limits, base::LogSink& log, DiskCalls& calls);

  std::string path_of(const BlobName& name) const { return folder_ + "/" + name.path(); }
  std::string temporary_folder() const { return folder_ + "/tmp"; }
  DiskStoreLimits limits() const OPTIMUX_EXCLUDES(mutex_);

  bool write_into_room(const BlobName& name, const BlobContent& content, std::uint64_t bytes, Time stamp);
  bool write(const BlobName& name, const BlobContent& content, std::uint64_t bytes, Time stamp);
  int write_once(const BlobName& name, const BlobContent& content, Time stamp);
  int write_and_rename(const std::string& temporary, const BlobName& name, const BlobContent& content, Time stamp);
  int make_folders(const BlobName& name);
  void note_stored(const BlobName& name, std::uint64_t bytes) OPTIMUX_EXCLUDES(mutex_);
  void note_use(const BlobName& name, const BlobReading& reading) OPTIMUX_EXCLUDES(mutex_);
  void remove_damaged(const BlobName& name);

  bool is_over_capacity() const OPTIMUX_EXCLUDES(mutex_);
  void make_room();
  bool leave_free(std::uint64_t bytes);
  bool evict_bytes(std::uint64_t bytes);
  std::optional<std::uint64_t> evict_one() OPTIMUX_EXCLUDES(mutex_);
  bool remove(const BlobName& name) OPTIMUX_EXCLUDES(mutex_);
  void fault(std::string_view call, int error_number);

  bool begin_scan(bool only_if_due) OPTIMUX_EXCLUDES(mutex_);
  void go_through() OPTIMUX_EXCLUDES(mutex_);
  void remove_leftovers();
  bool visit(const std::function<void(const BlobName&)>& visitor);
  bool visit_folder(const std::string& folder, const std::function<void(const BlobName&)>& visitor);
  bool list(const std::string& folder, std::vector<std::string>& names);
  std::optional<DiskIndex::Entry> look_at(const BlobName& name) OPTIMUX_EXCLUDES(mutex_);

  const std::string folder_;
  DiskCalls& calls_;
  PacedLog trouble_;
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::atomic<std::uint64_t> stored_ = 0;
  std::atomic<std::uint64_t> evictions_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> damaged_ = 0;
  std::atomic<std::uint64_t> faults_ = 0;

  mutable base::Mutex mutex_;
  DiskStoreLimits limits_ OPTIMUX_GUARDED_BY(mutex_);
  DiskIndex index_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t reserved_ OPTIMUX_GUARDED_BY(mutex_) = 0;  ///< Bytes of blobs that are being written.
  std::uint64_t written_ OPTIMUX_GUARDED_BY(mutex_) = 0;   ///< Bytes since the last scan.
  Clock::time_point scanned_ OPTIMUX_GUARDED_BY(mutex_);   ///< When the last scan began.
  bool is_scanning_ OPTIMUX_GUARDED_BY(mutex_) = false;
};

}  // namespace optimux::service
