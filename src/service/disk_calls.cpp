#include "service/disk_calls.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

namespace optimux::service {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

int DiskCalls::open(const std::string& path, int flags, mode_t mode) {
  return ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
}

ssize_t DiskCalls::read(int file, std::span<std::byte> bytes) {
  return ::read(file, bytes.data(), bytes.size());
}

ssize_t DiskCalls::write(int file, std::span<const std::byte> bytes) {
  return ::write(file, bytes.data(), bytes.size());
}

int DiskCalls::fstat(int file, struct stat& status) {
  return ::fstat(file, &status);
}

int DiskCalls::lstat(const std::string& path, struct stat& status) {
  return ::lstat(path.c_str(), &status);
}

int DiskCalls::flock(int file, int operation) {
  return ::flock(file, operation);
}

int DiskCalls::rename(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str());
}

int DiskCalls::unlink(const std::string& path) {
  return ::unlink(path.c_str());
}

int DiskCalls::rmdir(const std::string& path) {
  return ::rmdir(path.c_str());
}

int DiskCalls::mkdir(const std::string& path, mode_t mode) {
  return ::mkdir(path.c_str(), mode);
}

int DiskCalls::set_times(const std::string& path, timespec accessed, timespec modified) {
  const std::array<timespec, 2> times = {accessed, modified};
  return ::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
}

int DiskCalls::statvfs(const std::string& path, struct statvfs& status) {
  return ::statvfs(path.c_str(), &status);
}

int DiskCalls::list(const std::string& path, std::vector<std::string>& names) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  if (!folder) return -1;
  errno = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return errno == 0 ? 0 : -1;
}

DiskCalls& system_disk_calls() {
  static DiskCalls calls;
  return calls;
}

}  // namespace optimux::service
