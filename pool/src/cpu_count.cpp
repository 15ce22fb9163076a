#include "optimux/pool/cpu_count.hpp"

#include <sched.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace optimux::pool {
namespace {

constexpr double kNoLimit = -1;

struct Hierarchy {
  bool version2 = false;
  std::string mounted_root;  // the group that is mounted
  std::string mount_point;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// mountinfo writes blanks and backslashes in paths as \040 and the like.
std::string unescape(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool lists_cpu(const std::string& options) {
  const std::vector<std::string> parts = split(options, ',');
  return std::find(parts.begin(), parts.end(), "cpu") != parts.end();
}

// A line of mountinfo: id parent device root mount-point options [optional…] - type source super-options
std::optional<Hierarchy> parse_mount(const std::string& line) {
  const std::vector<std::string> fields = split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
  const std::string& type = dash[1];
  if (type != "cgroup2" && !(type == "cgroup" && lists_cpu(dash[3]))) return std::nullopt;
  return Hierarchy{type == "cgroup2", unescape(fields[3]), unescape(fields[4])};
}

// A line of /proc/self/cgroup: id:controllers:path, with no controllers for version 2.
std::optional<std::string> own_group(const std::string& root, bool version2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version2 ? controllers.empty() : lists_cpu(controllers)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The group's path below the mount point. A group outside of what is mounted (a namespace shows it as "/..") leaves the
// mounted root as the best that can be seen.
std::string below_mount(const std::string& group, const std::string& mounted_root) {
  if (group.find("/..") != std::string::npos) return "";
  if (mounted_root == "/") return group == "/" ? "" : group;
  const bool inside = group.compare(0, mounted_root.size(), mounted_root) == 0 &&
                      (group.size() == mounted_root.size() || group[mounted_root.size()] == '/');
  return inside ? group.substr(mounted_root.size()) : "";
}

double quota_of(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : kNoLimit;
}

double read_number(const std::string& path) {
  std::ifstream file(path);
  double number = kNoLimit;
  file >> number;
  return file ? number : kNoLimit;
}

double read_version1(const std::string& folder) {
  return quota_of(read_number(folder + "/cpu.cfs_quota_us"), read_number(folder + "/cpu.cfs_period_us"));
}

// "max 100000" or "150000 100000"; the period may be missing and is 100 ms then.
double read_version2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 100'000;
  if (!(file >> quota) || quota == "max") return kNoLimit;
  file >> period;
  std::istringstream number(quota);
  double microseconds = kNoLimit;
  number >> microseconds;
  return number ? quota_of(microseconds, period > 0 ? period : 100'000) : kNoLimit;
}

// A group can use no more than each group that it lies in: the smallest quota on the way up to the mount point counts.
void walk_up(const std::string& root, const Hierarchy& hierarchy, CpuQuota& smallest) {
  const auto group = own_group(root, hierarchy.version2);
  if (!group) return;
  std::string path = below_mount(*group, hierarchy.mounted_root);
  for (;;) {
    const std::string folder = hierarchy.mount_point + path;
    const double cpus = hierarchy.version2 ? read_version2(root + folder) : read_version1(root + folder);
    if (cpus > 0 && (!smallest.cpus || cpus < *smallest.cpus)) {
      smallest = {cpus, folder + (hierarchy.version2 ? "/cpu.max" : "/cpu.cfs_quota_us")};
    }
    if (path.empty()) return;
    path.erase(path.rfind('/'));
  }
}

#if defined(__linux__)
// The kernel refuses a mask shorter than its own: ask with longer ones until it fits.
int count_affinity() {
  for (std::size_t cpus = 1024; cpus <= (std::size_t{1} << 20); cpus *= 2) {
    cpu_set_t* mask = CPU_ALLOC(cpus);
    if (mask == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    const bool fits = ::sched_getaffinity(0, size, mask) == 0;
    const int count = fits ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (fits) return std::max(count, 1);
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
#else
int count_affinity() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
#endif

}  // namespace

CpuQuota read_cpu_quota(const std::string& root) {
  CpuQuota smallest;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (const auto hierarchy = parse_mount(line)) walk_up(root, *hierarchy, smallest);
  }
  return smallest;
}

CpuCount combine(int affinity, const CpuQuota& quota) {
  CpuCount count{std::max(affinity, 1), std::max(affinity, 1), quota.cpus, "affinity"};
  if (!quota.cpus || *quota.cpus >= count.affinity) return count;
  count.cpus = std::max(1, static_cast<int>(std::ceil(*quota.cpus)));
  count.source = quota.file;
  return count;
}

CpuCount count_cpus(const std::string& root) {
  return combine(count_affinity(), read_cpu_quota(root));
}

}  // namespace optimux::pool
