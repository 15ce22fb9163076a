#include "apps/optimux/settings/cache_options.hpp"

namespace optimux::apps {
namespace {

using service::ServiceLimits;
using Type = OptionType;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kTiB = std::int64_t{1} << 40;
constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kYear = std::int64_t{365} * 24 * kHour;

void add_caches(OptionBuilder& rows) {
  const auto service = &Settings::service;
  rows.begin(OptionGroup::kCache);
  rows.add("memory_cache", Type::kBytes, service, &ServiceLimits::memory_cache_bytes, {0, kTiB},
           "Memory for finished renditions that are kept; 0 keeps none.");
  rows.add("cache_time", Type::kDuration, service, &ServiceLimits::cache_time, {0, kYear},
           "How long a finished rendition is given out without asking its source: then one that was replaced is seen.")
      .former_key = "memory_cache_time";
  rows.add("stale_while_revalidate", Type::kDuration, service, &ServiceLimits::stale_while_revalidate, {0, kYear},
           "How long after that it is still given out at once, while its source is asked behind the answer.");
  rows.add("stale_if_error", Type::kDuration, service, &ServiceLimits::stale_if_error, {0, kYear},
           "How long after cache_time it is given out if its source fails: 5xx, no connection, too slow.");
  rows.add("cache_timeout", Type::kDuration, service, &ServiceLimits::cache_timeout, {1, kHour},
           "How long a request waits for the disk to find a rendition before it is made all the same.");
  rows.add("decoded_bytes", Type::kBytes, service, &ServiceLimits::decoded_bytes, {kMiB, 64 * kTiB},
           "Memory of all renders that run at one time, by estimate; what does not fit waits.");
  rows.add("source_bytes", Type::kBytes, service, &ServiceLimits::source_bytes, {kMiB, 64 * kTiB},
           "Memory for sources that are fetched and not yet rendered; beyond it 503.");
  rows.add(
      "memory_limit", Type::kBytes, service, &ServiceLimits::memory_limit, {0, 64 * kTiB},
      "Memory of the process: caches are halved from 80 % of it on, renders refused from 90 %, connections not kept "
      "from 95 %; 0: 90 % of what the control group or the machine has.");
  rows.add("source_cache", Type::kBytes, service, &ServiceLimits::source_cache_bytes, {0, kTiB},
           "Memory for sources from origins that are kept as they were fetched; 0 keeps none.");
  rows.add("source_cache_time", Type::kDuration, service, &ServiceLimits::source_cache_time, {0, kYear},
           "How long a source is used without asking its origin, where that does not say; 0: it is asked each time.");
  rows.add("negative_cache", Type::kDuration, service, &ServiceLimits::negative_cache, {0, kHour},
           "How long a source that was missing (404, 410) or no readable picture is not tried again; 0: not at all.");
}

void add_disk_cache(OptionBuilder& rows) {
  const auto disk = &Settings::disk_cache;
  rows.begin(OptionGroup::kDiskCache);
  rows.add("cache_dir", Type::kText, disk, &DiskCacheSettings::folder,
           "Folder in which renditions and sources outlast the process; made if it is missing; empty: nowhere.")
      .form = "a folder, or nothing";
  rows.add("disk_cache", Type::kBytes, disk, &DiskCacheSettings::capacity, {0, 64 * kTiB},
           "Space in cache_dir for finished renditions; 0 keeps none.");
  rows.add("disk_source_cache", Type::kBytes, disk, &DiskCacheSettings::source_capacity, {0, 64 * kTiB},
           "Space in cache_dir for sources from origins as they were fetched; 0 keeps none.");
  rows.add("disk_cache_min_free", Type::kBytes, disk, &DiskCacheSettings::min_free, {0, 64 * kTiB},
           "Space of the file system that is left to others; the cache gives way for it.");
  rows.add("disk_cache_time", Type::kDuration, disk, &DiskCacheSettings::keep_unused, {0, kYear},
           "How long a rendition or a source stays on disk after its last use; 0: until its space is needed.");
}

}  // namespace

void add_cache_options(OptionBuilder& rows) {
  add_caches(rows);
  add_disk_cache(rows);
}

}  // namespace optimux::apps
