#include "service/memory_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace optimux::service {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

std::uint64_t page_size() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The first word of a file if that is a number: `max` and what cannot be read are none.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return base::parse_number<std::uint64_t>(word);
}

/// The least limit of the group `path` below `mount` and of all above it. A process in a namespace of its own sees its
/// group as the uppermost one.
std::uint64_t least_limit(const std::string& mount, std::string path, const char* file) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  while (true) {
    least = std::min(least, number_in(mount + path + "/" + file).value_or(least));
    const std::size_t slash = path.rfind('/');
    if (path.empty() || slash == std::string::npos) return least;
    path.resize(slash);
  }
}

/// Of the control groups of this process (cgroups(7)): lines `0::PATH` of version 2 and `N:memory:PATH` of version 1.
std::uint64_t group_limit() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto parts = base::split(line, ':');
    if (parts.size() != 3) continue;
    std::string path(parts[2]);
    if (path == "/") path.clear();
    if (parts[1].empty()) least = std::min(least, least_limit("/sys/fs/cgroup", path, "memory.max"));
    if (parts[1] == "memory") {
      least = std::min(least, least_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::uint64_t settled(std::uint64_t limit) {
  return limit == 0 ? memory_ceiling() / 10 * 9 : limit;
}

MemoryWatch::Level level_of(std::uint64_t bytes, std::uint64_t limit) {
  const double share = static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(1, limit));
  if (share >= 0.95) return MemoryWatch::Level::kCritical;
  if (share >= 0.90) return MemoryWatch::Level::kShort;
  return share >= 0.80 ? MemoryWatch::Level::kTight : MemoryWatch::Level::kPlenty;
}

}  // namespace

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * page_size();
}

std::uint64_t memory_ceiling() {
  return std::min(group_limit(), static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page_size());
}

MemoryWatch::MemoryWatch(std::uint64_t limit, Gauge gauge) : gauge_(std::move(gauge)), limit_(settled(limit)) {}

MemoryWatch::Look MemoryWatch::look(Clock::time_point now) {
  base::MutexLock lock(mutex_);
  if (now < next_look_) return {level_, false};
  level_ = level_of(gauge_(), limit_);
  next_look_ = now + kBetweenLooks;
  return {level_, true};
}

void MemoryWatch::set_limit(std::uint64_t limit) {
  const std::uint64_t bytes = settled(limit);
  base::MutexLock lock(mutex_);
  limit_ = bytes;
  next_look_ = {};
}

std::uint64_t MemoryWatch::limit() const {
  base::MutexLock lock(mutex_);
  return limit_;
}

}  // namespace optimux::service
