#pragma once

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

#include <cstddef>
#include <ctime>
#include <span>
#include <string>
#include <vector>

namespace optimux::service {

/// The calls to the system that a `DiskStore` makes: a seam at which tests let any of them fail. Each behaves as its
/// manual page says: below zero for a failure, and `errno` set. Each may block for as long as the disk does. Any
/// thread.
class DiskCalls {
 public:
  DiskCalls() = default;
  DiskCalls(const DiskCalls&) = delete;
  DiskCalls& operator=(const DiskCalls&) = delete;
  virtual ~DiskCalls() = default;

  /// A descriptor that the caller closes; close-on-exec, and never through a symbolic link.
  virtual int open(const std::string& path, int flags, mode_t mode);
  virtual ssize_t read(int file, std::span<std::byte> bytes);
  virtual ssize_t write(int file, std::span<const std::byte> bytes);
  virtual int fstat(int file, struct stat& status);
  /// Of the entry itself, never through a symbolic link.
  virtual int lstat(const std::string& path, struct stat& status);
  virtual int flock(int file, int operation);
  virtual int rename(const std::string& from, const std::string& to);
  virtual int unlink(const std::string& path);
  virtual int rmdir(const std::string& path);
  virtual int mkdir(const std::string& path, mode_t mode);
  /// Sets the times of last access and of last modification; UTIME_OMIT leaves one as it is.
  virtual int set_times(const std::string& path, timespec accessed, timespec modified);
  virtual int statvfs(const std::string& path, struct statvfs& status);
  /// The names of all entries of a folder, in no order, without `.` and `..`.
  virtual int list(const std::string& path, std::vector<std::string>& names);
};

/// Those of the operating system. Lives for as long as the process.
DiskCalls& system_disk_calls();

}  // namespace optimux::service
