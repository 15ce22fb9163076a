#pragma once

#include "base/log.hpp"
#include "media/media_limits.hpp"
#include "server/server_settings.hpp"
#include "service/disk_store.hpp"
#include "service/job_pool.hpp"
#include "service/rendition_service.hpp"
#include "source/credential_providers.hpp"
#include "source/http_settings.hpp"
#include "source/s3_settings.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace optimux::apps {

/// Where sources may come from.
struct SourceSettings {
  std::string root;                              ///< Folder of the default store; empty: there is none.
  std::vector<std::string> allow_source;         ///< Addresses, networks and hosts allowed beside the public ones.
  std::uint64_t max_source_bytes = 64ull << 20;  ///< Bytes of one source.
};

/// What lies in an object store.
struct ObjectSettings {
  std::string store;                    ///< `s3://BUCKET[/PREFIX]`: the default store, in place of a root; empty: none.
  std::vector<std::string> s3_buckets;  ///< `s3://BUCKET[/PREFIX]`: whence `s3://` URLs may name sources.
  std::string rendition_store;          ///< `s3://BUCKET[/PREFIX]`: where finished renditions are kept; empty: nowhere.
  std::chrono::milliseconds rendition_store_misses{10'000};  ///< How long a rendition that is not there is remembered.
};

/// Where finished renditions and sources outlast the process.
struct DiskCacheSettings {
  std::string folder;  ///< Empty: nowhere.
  std::uint64_t capacity = service::DiskStoreLimits{}.capacity;
  std::uint64_t source_capacity = 1ull << 30;  ///< As `capacity`, of sources.
  std::uint64_t min_free = service::DiskStoreLimits{}.min_free;
  std::chrono::milliseconds keep_unused = service::DiskStoreLimits{}.keep_unused;

  service::DiskStoreLimits limits() const { return {capacity, min_free, keep_unused}; }
  service::DiskStoreLimits source_limits() const { return {source_capacity, min_free, keep_unused}; }
};

struct LogSettings {
  base::LogFormat format = base::LogFormat::kText;
  base::LogLevel level = base::LogLevel::kInfo;
};

/// All that can be configured, in the words of the layers that use it. The defaults are those of the layers' own
/// structs: nothing is repeated here.
struct Settings {
  server::ServerSettings server;
  SourceSettings source;
  source::HttpSettings origin;  ///< Its policy and its largest source follow from `source`.
  decltype(source::HttpSettings::connections) origin_connections;
  ObjectSettings objects;
  /// Its `http` follows from `origin`, its delays and its breaker from the two below. An empty endpoint or region is
  /// that of the environment, if there is one.
  source::S3Settings s3;
  source::RetryDelays s3_delays;
  source::BreakerSettings s3_breaker;
  source::CredentialSettings s3_credentials;  ///< Its environment is read when the store is made.
  media::MediaLimits media;
  service::PoolSettings image_pool;
  /// Reads files. Reading waits for disks and takes no CPU to speak of: more threads than CPUs, made when nobody is
  /// idle, so that a slow disk holds up neither the loop nor the workers that render. The queue holds what the clients
  /// of a full house ask for at once.
  service::PoolSettings file_pool{
      .name = "file", .workers_min = 0, .workers_max = 8, .queue = 4'096, .policy = "spawn", .niceness = 0};
  service::ServiceLimits service;
  DiskCacheSettings disk_cache;
  LogSettings log;
};

}  // namespace optimux::apps
