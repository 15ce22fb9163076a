#include "server/file_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <system_error>
#include <utility>

namespace optimux::server {
namespace {

namespace fs = std::filesystem;
using NamesByFolder = std::map<std::string, std::set<std::string>>;

/// As the kernel has it (ELOOP).
constexpr int kMostLinks = 40;

constexpr std::uint32_t kEvents =
    IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

/// Walks `path` as the kernel does, and adds each entry on the way whose replacement leads elsewhere: links, and the
/// last one.
void add_entries(const std::string& path, NamesByFolder& names) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  std::deque<fs::path> parts(whole.begin(), whole.end());
  fs::path here;
  int links = 0;
  while (!parts.empty()) {
    const fs::path part = std::exchange(parts.front(), {});
    parts.pop_front();
    if (part == "..") here = here.parent_path();
    if (part.empty() || part == "." || part == "..") continue;
    if (part.is_absolute()) {
      here = part;
      continue;
    }
    const fs::path entry = here / part;
    const bool is_link = fs::is_symlink(entry, ignored);
    if (is_link || parts.empty()) names[here.string()].insert(part.string());
    if (!is_link) {
      here = entry;
      continue;
    }
    if (++links > kMostLinks) return;
    const fs::path target = fs::read_symlink(entry, ignored);
    parts.insert(parts.begin(), target.begin(), target.end());
  }
}

}  // namespace

FileWatch::FileWatch(EventLoop& loop, std::function<void()> changed, std::chrono::milliseconds settle_time)
    : loop_(loop), changed_(std::move(changed)), settle_time_(settle_time) {}

FileWatch::~FileWatch() {
  if (timer_ != 0) loop_.reactor().cancel_timer(timer_);
  if (inotify_) loop_.reactor().watch(inotify_.get(), source::Reactor::kNone, nullptr);
}

base::Status FileWatch::watch(const std::vector<std::string>& paths) {
  if (!inotify_ && paths.empty()) return {};
  if (!inotify_ && !open()) {
    return base::fail(base::ErrorCode::kInternal, {}, "inotify: " + std::generic_category().message(errno));
  }
  NamesByFolder names;
  for (const std::string& path : paths) add_entries(path, names);
  std::map<int, std::set<std::string>> before = std::exchange(names_, {});
  base::Status status;
  for (auto& [folder, entries] : names) {
    const int id = inotify_add_watch(inotify_.get(), folder.c_str(), kEvents);
    if (id < 0) {
      status = base::fail(base::ErrorCode::kInternal, {}, folder + ": " + std::generic_category().message(errno));
      continue;
    }
    before.erase(id);
    names_[id].merge(entries);
  }
  for (const auto& [id, entries] : before) inotify_rm_watch(inotify_.get(), id);
  return status;
}

bool FileWatch::open() {
  inotify_ = FileDescriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_) return false;
  loop_.reactor().watch(inotify_.get(), source::Reactor::kRead, [this](unsigned) { read_events(); });
  return true;
}

void FileWatch::read_events() {
  alignas(inotify_event) std::array<char, 4'096> buffer{};
  ssize_t size = 0;
  while ((size = ::read(inotify_.get(), buffer.data(), buffer.size())) > 0) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, &buffer.at(at), sizeof(event));
      const std::string name = event.len > 0 ? std::string(&buffer.at(at + sizeof(event))) : std::string();
      at += sizeof(event) + event.len;
      const auto folder = names_.find(event.wd);
      if (folder == names_.end()) continue;
      if (name.empty() || folder->second.contains(name)) settle();
    }
  }
}

void FileWatch::settle() {
  if (timer_ != 0) return;
  timer_ = loop_.reactor().start_timer(settle_time_, [this] {
    timer_ = 0;
    changed_();
  });
}

}  // namespace optimux::server
