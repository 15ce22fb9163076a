#include "source/file_state.hpp"

#include <sys/stat.h>

#include <chrono>
#include <string>

namespace optimux::source {
namespace {

std::chrono::system_clock::time_point to_time_point(const timespec& time) {
  const auto since_epoch = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
}

// Size, modification time and inode: a file replaced by another one of the same size in the same tick still differs.
std::string entity_tag(const struct stat& status) {
  return "\"" + std::to_string(status.st_size) + "-" + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + "-" + std::to_string(status.st_ino) + "\"";
}

}  // namespace

SourceFacts facts_of_file(const struct stat& status) {
  return {to_time_point(status.st_mtim), entity_tag(status), ""};
}

bool is_same_file_state(const struct stat& before, const struct stat& after) {
  return before.st_size == after.st_size && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
}

}  // namespace optimux::source
