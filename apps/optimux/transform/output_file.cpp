#include "apps/optimux/transform/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace optimux::apps {
namespace {

namespace fs = std::filesystem;

tl::unexpected<base::Error> cannot_write(const fs::path& path, int error_number) {
  return base::fail(base::ErrorCode::kInternal,
                    "cannot write '" + path.string() + "': " + std::generic_category().message(error_number));
}

// Unique in this process by the counter, on this machine by the process; O_EXCL finds out about anything else.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> next{0};
  constexpr std::size_t kMaxNameBytes = 200;  // Of the 255 that file systems take; the rest is for what is added.
  const std::string name = path.filename().string().substr(0, kMaxNameBytes);
  return path.parent_path() / ("." + name + "." + std::to_string(::getpid()) + "-" + std::to_string(next++) + ".part");
}

// Where a rename has to go so that a link stays a link.
fs::path behind_links(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  fs::path resolved = fs::canonical(path, error);
  return error ? path : resolved;
}

int rename_file(const fs::path& from, const fs::path& to, bool overwrite) {
  if (overwrite) return ::rename(from.c_str(), to.c_str());
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // A file system without RENAME_NOREPLACE: a hard link does not replace either.
  if (::link(from.c_str(), to.c_str()) != 0) return -1;
  return ::unlink(from.c_str());
}

}  // namespace

base::Result<OutputFile> OutputFile::create(const fs::path& path, int interrupt) {
  const fs::path target = behind_links(path);
  std::error_code error;
  if (fs::exists(target, error) && fs::is_other(target, error)) {
    source::Descriptor device(::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!device) return cannot_write(path, errno);
    return OutputFile(std::move(device), path, {}, interrupt);
  }
  if (target.has_parent_path() && !fs::create_directories(target.parent_path(), error) && error) {
    return cannot_write(path, error.value());
  }
  const fs::path temporary = temporary_beside(target);
  source::Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) return cannot_write(path, errno);
  return OutputFile(std::move(file), target, temporary, interrupt);
}

OutputFile OutputFile::standard_output(int interrupt) {
  return OutputFile(source::Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)), "-", {}, interrupt);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      interrupt_(other.interrupt_),
      size_(other.size_) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

// A file is always writable. A pipe that is takes PIPE_BUF bytes without waiting, whoever reads it: larger pieces could
// wait where no signal reaches the loop.
bool OutputFile::wait_writable() const {
  std::array<pollfd, 2> events{{{file_.get(), POLLOUT, 0}, {interrupt_, POLLIN, 0}}};
  while (::poll(events.data(), events.size(), -1) < 0 && errno == EINTR) continue;
  return events[1].revents == 0;
}

base::Status OutputFile::write(std::span<const std::byte> bytes) {
  const std::size_t piece = temporary_.empty() ? PIPE_BUF : bytes.size();
  while (!bytes.empty()) {
    if (temporary_.empty() && !wait_writable()) return base::fail(base::ErrorCode::kCancelled, "interrupted");
    const ssize_t count = ::write(file_.get(), bytes.data(), std::min(piece, bytes.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_write(path_, errno);
    size_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

// Some file systems report a full disk or quota only when a file is closed, whichever of its descriptors it is: closing
// a second one tells, while the first one still has its owner.
base::Status OutputFile::close() {
  const int second = ::fcntl(file_.get(), F_DUPFD_CLOEXEC, 3);
  if (second < 0 || (::close(second) != 0 && errno != EINTR)) return cannot_write(path_, errno);
  file_.reset();
  return {};
}

base::Status OutputFile::commit(bool overwrite) {
  if (auto closed = close(); !closed) return closed;
  if (temporary_.empty()) return {};
  if (rename_file(temporary_, path_, overwrite) != 0) return cannot_write(path_, errno);
  temporary_.clear();
  return {};
}

}  // namespace optimux::apps
