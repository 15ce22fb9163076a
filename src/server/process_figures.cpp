#include "server/process_figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace optimux::server {
namespace {

/// The fields of /proc/self/stat behind the program's name, which may hold blanks: field 3 of proc(5) is index 0.
std::vector<std::string> read_stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::vector<std::string> fields;
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return fields;
  std::istringstream rest(line.substr(end_of_name + 1));
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

/// Numbers as in proc(5): 20 is num_threads, 22 starttime, 23 vsize, 24 rss.
std::uint64_t stat_field(const std::vector<std::string>& fields, std::size_t number) {
  constexpr std::size_t kFirstNumber = 3;
  if (fields.size() <= number - kFirstNumber) return 0;
  return base::parse_number<std::uint64_t>(fields[number - kFirstNumber]).value_or(0);
}

double seconds_since_boot() {
  std::ifstream file("/proc/uptime");
  double seconds = 0;
  file >> seconds;
  return seconds;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::uint64_t count_open_descriptors() {
  std::error_code error;
  std::uint64_t count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace

ProcessFigures read_process_figures() {
  ProcessFigures figures;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    figures.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.max_descriptors = limit.rlim_cur;
  figures.open_descriptors = count_open_descriptors();
  const auto fields = read_stat_fields();
  figures.threads = static_cast<int>(stat_field(fields, 20));
  figures.virtual_bytes = stat_field(fields, 23);
  figures.resident_bytes = stat_field(fields, 24) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const double age =
      seconds_since_boot() - static_cast<double>(stat_field(fields, 22)) / static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  figures.start_time = std::chrono::duration<double>(now).count() - age;
  return figures;
}

}  // namespace optimux::server
