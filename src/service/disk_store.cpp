#include "service/disk_store.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <random>
#include <utility>

#include "base/text.hpp"
#include "source/source_error.hpp"

namespace optimux::service {
namespace {

using std::chrono::system_clock;

constexpr std::uint64_t kLargestShare = 4;

/// The time of last use is written no more often: it orders blobs by days and hours, not by seconds.
constexpr std::chrono::minutes kUsePrecision{1};

/// A write is tried again after its folder was made or room was. Other processes may take both away in between.
constexpr int kAttempts = 8;

/// One insertion clears away no more, whoever fills the disk.
constexpr int kMaxEvictions = 256;

std::string random_name() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = random();
    bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
  }
  return base::hex(bytes);
}

bool is_for_want_of_room(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT;
}

/// What an administrator has to mend, as opposed to what may come and go while the server runs.
bool is_misconfiguration(int error_number) {
  return error_number != ENOSPC && error_number != EDQUOT && error_number != EROFS;
}

int make_folder(DiskCalls& calls, const std::string& path) {
  constexpr mode_t kOwnerOnly = 0700;
  return calls.mkdir(path, kOwnerOnly) == 0 || errno == EEXIST ? 0 : errno;
}

/// The folder and all that are missing above it.
int make_path(DiskCalls& calls, const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    make_folder(calls, path.substr(0, slash));  // Whether it worked, the last one tells.
  }
  return make_folder(calls, path);
}

}  // namespace

base::Result<std::unique_ptr<DiskStore>> DiskStore::make(std::string folder, const DiskStoreLimits& limits,
                                                         base::LogSink& log, DiskCalls& calls) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  int error = make_path(calls, folder);
  std::vector<std::string> names;
  if (error == 0 && calls.list(folder, names) != 0) error = errno;
  if (error != 0 && is_misconfiguration(error)) {
    return base::fail(base::ErrorCode::kInvalidParameter,
                      "the folder '" + folder + "' cannot be used: " + source::system_message(error));
  }
  std::unique_ptr<DiskStore> store(new DiskStore(std::move(folder), limits, log, calls));
  if (error != 0) store->fault("mkdir", error);
  return store;
}

DiskStore::DiskStore(std::string folder, const DiskStoreLimits& limits, base::LogSink& log, DiskCalls& calls)
    : folder_(std::move(folder)), calls_(calls), trouble_(log), limits_(limits), scanned_(Clock::now()) {}

/// Room under the capacity for a blob that is being written, so that several at once do not go over it together.
class DiskStore::Reservation {
 public:
  Reservation(DiskStore& store, std::uint64_t bytes) : store_(store), bytes_(bytes) {
    base::MutexLock lock(store_.mutex_);
    store_.reserved_ += bytes_;
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() {
    base::MutexLock lock(store_.mutex_);
    store_.reserved_ -= bytes_;
  }

 private:
  DiskStore& store_;
  const std::uint64_t bytes_;
};

std::optional<Blob> DiskStore::find(const Key& key) {
  const BlobName name(key.key, key.group);
  BlobReading reading = read_blob(calls_, path_of(name), key.key);
  switch (reading.state) {
    case BlobReading::State::kWhole:
      note_use(name, reading);
      ++hits_;
      return std::move(reading.blob);
    case BlobReading::State::kDamaged: remove_damaged(name); break;
    case BlobReading::State::kFault: fault("read", reading.error_number); break;
    case BlobReading::State::kAbsent:
    case BlobReading::State::kOther: break;
  }
  ++misses_;
  return std::nullopt;
}

void DiskStore::note_use(const BlobName& name, const BlobReading& reading) {
  const Time now = system_clock::now();
  {
    base::MutexLock lock(mutex_);
    index_.put(name, bytes_on_disk(reading.file_size), now);
  }
  if (now - reading.last_used < kUsePrecision) return;
  timespec stamp{};
  stamp.tv_nsec = UTIME_OMIT;
  // A disk that has become read-only still serves: no fault worth a word.
  calls_.set_times(path_of(name), to_timespec(now), stamp);
}

void DiskStore::remove_damaged(const BlobName& name) {
  ++damaged_;
  trouble_.warn("disk cache: a damaged file was deleted", name.path());
  remove(name);
}

bool DiskStore::insert(const Key& key, std::string_view metadata, std::span<const std::span<const std::byte>> payload,
                       Time stamp) {
  const BlobContent content{key.key, metadata, payload};
  const std::uint64_t bytes = bytes_on_disk(blob_file_size(content));
  const bool is_too_long = key.key.size() > kMaxBlobText || metadata.size() > kMaxBlobText;
  if (is_too_long || bytes > limits().capacity / kLargestShare) {
    ++refused_;
    return false;
  }
  if (!write_into_room(BlobName(key.key, key.group), content, bytes, stamp)) return false;
  if (begin_scan(true)) go_through();
  return true;
}

bool DiskStore::write_into_room(const BlobName& name, const BlobContent& content, std::uint64_t bytes, Time stamp) {
  const Reservation reservation(*this, bytes);
  make_room();
  if (!leave_free(bytes) || !write(name, content, bytes, stamp)) return false;
  note_stored(name, bytes);
  return true;
}

bool DiskStore::write(const BlobName& name, const BlobContent& content, std::uint64_t bytes, Time stamp) {
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    error = write_once(name, content, stamp);
    if (error == 0) return true;
    if (error == EWOULDBLOCK) continue;  // Whoever clears up came between its making and its lock.
    if (error == ENOENT) {
      if (make_folders(name) != 0) break;
    } else if (!is_for_want_of_room(error) || !evict_bytes(2 * bytes)) {
      break;
    }
  }
  fault("write", error);
  return false;
}

int DiskStore::write_once(const BlobName& name, const BlobContent& content, Time stamp) {
  const std::string temporary = temporary_folder() + "/" + random_name();
  const int error = write_and_rename(temporary, name, content, stamp);
  if (error != 0) calls_.unlink(temporary);
  return error;
}

int DiskStore::write_and_rename(const std::string& temporary, const BlobName& name, const BlobContent& content,
                                Time stamp) {
  constexpr mode_t kOwnerOnly = 0600;
  const source::Descriptor file(calls_.open(temporary, O_WRONLY | O_CREAT | O_EXCL, kOwnerOnly));
  if (!file) return errno;
  // Held until the file is closed, which is after the rename: to whoever clears up, an unlocked file is a leftover.
  if (calls_.flock(file.get(), LOCK_EX | LOCK_NB) != 0) return errno;
  if (const int error = write_blob(calls_, file, content); error != 0) return error;
  if (calls_.set_times(temporary, to_timespec(system_clock::now()), to_timespec(stamp)) != 0) return errno;
  return calls_.rename(temporary, path_of(name)) == 0 ? 0 : errno;
}

int DiskStore::make_folders(const BlobName& name) {
  const std::string second = folder_ + "/" + name.folder();
  if (const int error = make_path(calls_, temporary_folder()); error != 0) return error;
  return make_path(calls_, second);
}

void DiskStore::note_stored(const BlobName& name, std::uint64_t bytes) {
  ++stored_;
  base::MutexLock lock(mutex_);
  index_.put(name, bytes, system_clock::now());
  written_ += bytes;
}

void DiskStore::set_stamp(const Key& key, Time stamp) {
  timespec accessed{};
  accessed.tv_nsec = UTIME_OMIT;
  const std::string path = path_of(BlobName(key.key, key.group));
  if (calls_.set_times(path, accessed, to_timespec(stamp)) != 0 && errno != ENOENT) fault("utimensat", errno);
}

bool DiskStore::is_over_capacity() const {
  base::MutexLock lock(mutex_);
  return index_.bytes() + reserved_ > limits_.capacity;
}

void DiskStore::make_room() {
  while (is_over_capacity() && evict_one()) {
  }
}

bool DiskStore::leave_free(std::uint64_t bytes) {
  const std::uint64_t wanted = limits().min_free;
  if (wanted == 0) return true;  // Then the system says when the disk is full.
  for (int evictions = 0; evictions < kMaxEvictions; ++evictions) {
    struct statvfs status {};
    if (calls_.statvfs(folder_, status) != 0) return true;  // What is wrong, the write will tell.
    if (std::uint64_t{status.f_bavail} * status.f_frsize >= wanted + bytes) return true;
    if (!evict_one()) break;
  }
  fault("disk_cache_min_free", ENOSPC);
  return false;
}

bool DiskStore::evict_bytes(std::uint64_t bytes) {
  std::uint64_t freed = 0;
  while (freed < bytes) {
    const auto evicted = evict_one();
    if (!evicted) break;
    freed += *evicted;
  }
  return freed > 0;
}

std::optional<std::uint64_t> DiskStore::evict_one() {
  std::optional<DiskIndex::Entry> oldest;
  {
    base::MutexLock lock(mutex_);
    oldest = index_.take_oldest();
  }
  if (!oldest) return std::nullopt;
  ++evictions_;
  // Gone already, by another process: so much the better.
  if (calls_.unlink(path_of(oldest->name)) != 0 && errno != ENOENT) fault("unlink", errno);
  return oldest->bytes;
}

bool DiskStore::remove(const BlobName& name) {
  const bool is_gone = calls_.unlink(path_of(name)) == 0 || errno == ENOENT;
  if (!is_gone) fault("unlink", errno);
  base::MutexLock lock(mutex_);
  index_.remove(name);
  return is_gone;
}

bool DiskStore::erase(const Key& key) {
  return remove(BlobName(key.key, key.group));
}

void DiskStore::fault(std::string_view call, int error_number) {
  ++faults_;
  trouble_.warn("disk cache: out of order",
                std::string(call) + " in " + folder_ + ": " + source::system_message(error_number));
}

void DiskStore::set_limits(const DiskStoreLimits& limits) {
  base::MutexLock lock(mutex_);
  limits_ = limits;
}

DiskStoreLimits DiskStore::limits() const {
  base::MutexLock lock(mutex_);
  return limits_;
}

DiskStoreFigures DiskStore::figures() const {
  DiskStoreFigures figures;
  figures.hits = hits_;
  figures.misses = misses_;
  figures.stored = stored_;
  figures.evictions = evictions_;
  figures.refused = refused_;
  figures.damaged = damaged_;
  figures.faults = faults_;
  base::MutexLock lock(mutex_);
  figures.bytes = index_.bytes();
  figures.entries = index_.entries();
  return figures;
}

}  // namespace optimux::service
