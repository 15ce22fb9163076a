#include "source/root_directory.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using base::Result;

// O_NONBLOCK: opening a FIFO returns at once, and is refused afterwards as no regular file.
constexpr int kFileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

// The kernel answers EAGAIN when a rename anywhere on the machine raced with a `..` in a link (openat2(2)).
constexpr int kMaxRaces = 16;

bool leaves_upwards(const std::vector<std::string_view>& components) {
  return std::any_of(components.begin(), components.end(), [](std::string_view part) { return part == ".."; });
}

// glibc has no wrapper for openat2.
Descriptor open_beneath(const Descriptor& root, const std::string& key) {
  open_how how{};
  how.flags = kFileFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int race = 0; race < kMaxRaces; ++race) {
    Descriptor file(static_cast<int>(::syscall(SYS_openat2, root.get(), key.c_str(), &how, sizeof how)));
    if (file || (errno != EAGAIN && errno != EINTR)) return file;
  }
  return Descriptor();
}

// ENOSYS from old kernels, EPERM from sandboxes that do not know the call.
bool lacks_openat2(int error_number) {
  return error_number == ENOSYS || error_number == EPERM;
}

// Each component is opened below the one before and never through a link, so that no rename can lead the walk astray.
Descriptor walk_beneath(const Descriptor& root, const std::vector<std::string_view>& components) {
  Descriptor folder;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const bool last = i + 1 == components.size();
    const std::string part = components[i].empty() ? "." : std::string(components[i]);
    const int flags = O_NOFOLLOW | (last ? kFileFlags : kFolderFlags);
    Descriptor next(::openat(folder ? folder.get() : root.get(), part.c_str(), flags));
    if (!next || last) return next;
    folder = std::move(next);
  }
  errno = ENOENT;
  return Descriptor();
}

// What is wrong with the key or with the file, against what is wrong with this process.
base::Error open_error(int error_number, const std::string& where) {
  const std::string cause = "open " + where + ": " + system_message(error_number);
  switch (error_number) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO: return source_fault(cause);
    default: return source_not_found(cause);
  }
}

}  // namespace

Result<RootDirectory> RootDirectory::make(std::string path, Resolution resolution) {
  const Descriptor folder(::open(path.c_str(), kFolderFlags));
  if (!folder) {
    return base::fail(base::ErrorCode::kInvalidParameter, "root '" + path + "': " + system_message(errno));
  }
  RootDirectory root;
  root.path_ = std::move(path);
  root.resolution_ = resolution;
  return root;
}

Result<Descriptor> RootDirectory::open(std::string_view key) const {
  if (path_.empty()) return base::fail(no_store());
  const std::string where = path_ + "/" + std::string(key);
  const auto components = base::split(key, '/');
  if (key.empty() || key[0] == '/' || key.find('\0') != std::string_view::npos || leaves_upwards(components)) {
    return base::fail(source_not_found("key leads out of the root: " + where));
  }
  const Descriptor root(::open(path_.c_str(), kFolderFlags));
  if (!root) return base::fail(open_error(errno, path_));

  Descriptor file;
  const bool ask_kernel = resolution_ == Resolution::kKernel;
  if (ask_kernel) file = open_beneath(root, std::string(key));
  if (!file && (!ask_kernel || lacks_openat2(errno))) file = walk_beneath(root, components);
  if (!file) return base::fail(open_error(errno, where));

  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return base::fail(open_error(errno, where));
  if (!S_ISREG(status.st_mode)) return base::fail(source_not_found("not a regular file: " + where));
  return file;
}

}  // namespace optimux::source
