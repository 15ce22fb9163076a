// The parts of a DiskStore that go through its folder: finding out what is there, and clearing up.

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "service/disk_store.hpp"

namespace optimux::service {
namespace {

using std::chrono::system_clock;

/// Scans come after so much of the capacity was written, and after so much time.
constexpr std::uint64_t kScanShare = 16;
constexpr std::chrono::hours kScanInterval{1};

bool is_folder_name(std::string_view name, std::size_t length) {
  return name.size() == length && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

void DiskStore::scan() {
  if (begin_scan(false)) go_through();
}

bool DiskStore::begin_scan(bool only_if_due) {
  base::MutexLock lock(mutex_);
  const bool is_due = written_ > limits_.capacity / kScanShare || Clock::now() - scanned_ > kScanInterval;
  if (is_scanning_ || (only_if_due && !is_due)) return false;
  is_scanning_ = true;
  scanned_ = Clock::now();
  written_ = 0;
  return true;
}

void DiskStore::go_through() {
  const Time begin = system_clock::now();
  const auto keep_unused = limits().keep_unused;
  remove_leftovers();
  std::vector<DiskIndex::Entry> entries;
  visit([&](const BlobName& name) {
    const auto entry = look_at(name);
    if (!entry) return;
    if (keep_unused.count() > 0 && begin - entry->used > keep_unused) {
      ++evictions_;
      remove(name);
    } else {
      entries.push_back(*entry);
    }
  });
  DiskIndex index(std::move(entries));
  {
    base::MutexLock lock(mutex_);
    index.take_over_recent(index_, begin);
    std::swap(index_, index);
    is_scanning_ = false;
  }
  make_room();
}

void DiskStore::remove_leftovers() {
  constexpr std::size_t kTemporaryName = 32;
  std::vector<std::string> names;
  list(temporary_folder(), names);
  for (const std::string& name : names) {
    if (!is_folder_name(name, kTemporaryName)) continue;
    const std::string path = temporary_folder() + "/" + name;
    const source::Descriptor file(calls_.open(path, O_RDONLY, 0));
    const bool is_abandoned = file && calls_.flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (is_abandoned && calls_.unlink(path) != 0 && errno != ENOENT) fault("unlink", errno);
  }
}

/// Says whether the folder could be read; one that is not there is empty.
bool DiskStore::list(const std::string& folder, std::vector<std::string>& names) {
  if (calls_.list(folder, names) == 0 || errno == ENOENT) return true;
  fault("readdir", errno);
  return false;
}

/// Only what has the names of this store: a folder may hold other things by mistake, and they are not ours to delete.
/// Says whether all of the folder could be read.
bool DiskStore::visit(const std::function<void(const BlobName&)>& visitor) {
  std::vector<std::string> outer;
  bool is_read = list(folder_, outer);
  for (const std::string& first : outer) {
    if (!is_folder_name(first, 1)) continue;
    std::vector<std::string> inner;
    is_read &= list(folder_ + "/" + first, inner);
    for (const std::string& second : inner) {
      if (is_folder_name(second, 2)) is_read &= visit_folder(std::string(first).append("/").append(second), visitor);
    }
  }
  return is_read;
}

bool DiskStore::visit_folder(const std::string& folder, const std::function<void(const BlobName&)>& visitor) {
  std::vector<std::string> names;
  const bool is_read = list(folder_ + "/" + folder, names);
  // What is empty goes; one that somebody writes into at this moment is made again by him.
  if (names.empty()) calls_.rmdir(folder_ + "/" + folder);
  for (const std::string& text : names) {
    const auto name = BlobName::parse(text);
    if (name && name->folder() == folder) visitor(*name);
  }
  return is_read;
}

std::optional<DiskIndex::Entry> DiskStore::look_at(const BlobName& name) {
  struct stat status {};
  if (calls_.lstat(path_of(name), status) != 0) return std::nullopt;
  DiskIndex::Entry entry{name, bytes_on_disk(static_cast<std::uint64_t>(status.st_size)),
                         to_time_point(status.st_atim)};
  // The file tells of uses by others, and of its own to the minute.
  base::MutexLock lock(mutex_);
  if (const auto used = index_.last_use(name)) entry.used = std::max(entry.used, *used);
  return entry;
}

bool DiskStore::erase_group(std::string_view group) {
  std::vector<std::string> names;
  bool is_gone = list(folder_ + "/" + BlobName({}, group).folder(), names);
  for (const std::string& text : names) {
    const auto name = BlobName::parse(text);
    if (name && name->is_of_group(group)) is_gone &= remove(*name);
  }
  return is_gone;
}

bool DiskStore::clear() {
  bool is_gone = true;
  const bool is_read = visit([&](const BlobName& name) { is_gone &= remove(name); });
  return is_gone && is_read;
}

}  // namespace optimux::service
