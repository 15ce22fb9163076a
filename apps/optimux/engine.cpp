#include "apps/optimux/engine.hpp"

#include "apps/optimux/object_store_setup.hpp"
#include "apps/optimux/process_memory.hpp"
#include "base/buffer_stock.hpp"
#include "service/disk_tier.hpp"
#include "source/file_source.hpp"
#include "source/http_source.hpp"
#include "source/root_directory.hpp"
#include "source/source_router.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace optimux::apps {
namespace {

using base::Result;
using source::Source;

// About two photos. With the allocator's settings this brought a rendition from 1.10 to 1.04 of what libvips alone
// takes (bench cpu, 12 rounds); twice as much is no faster by more than the noise, and memory at the peak grows.
constexpr std::size_t kKeptSourceBytes = 4 << 20;

source::BlockingRunner runner_on(service::JobPool& pool) {
  return [&pool](std::function<void()> work) {
    service::JobPool::Job job;
    job.run = [work = std::move(work)](std::chrono::microseconds, const std::stop_token&) { work(); };
    job.dropped = [](service::JobPool::Refusal) {};  // Only at the end, where all fetches end with kShuttingDown.
    return pool.submit(std::move(job)).has_value();
  };
}

Result<std::unique_ptr<Source>> make_http(const Settings& settings, source::Reactor& reactor) {
  source::HttpSettings origin = settings.origin;
  auto policy = source::AddressPolicy::make(settings.source.allow_source);
  if (!policy) return base::fail(policy.error());
  origin.policy = *std::move(policy);
  auto allowed = source::AllowList::make(
      {settings.server.allowed_source_hosts, settings.server.allowed_source_prefixes, settings.server.allowed_schemes});
  if (!allowed) return base::fail(allowed.error());
  origin.allowed = *std::move(allowed);
  origin.max_source_bytes = settings.source.max_source_bytes;
  origin.connections = settings.origin_connections;
  return source::HttpSource::make(std::move(origin), reactor);
}

// Folders of their own below the one that was given: a store deletes what is there.
constexpr std::string_view kRenditionFolder = "/renditions";
constexpr std::string_view kSourceFolder = "/sources";

Result<std::shared_ptr<service::DiskStore>> make_disk_store(const std::string& folder, std::string_view below,
                                                            const service::DiskStoreLimits& limits,
                                                            base::LogSink& log) {
  if (folder.empty()) return nullptr;
  auto store = service::DiskStore::make(folder + std::string(below), limits, log);
  if (!store) return base::fail(base::ErrorCode::kInvalidParameter, "cache_dir: " + store.error().detail);
  return std::shared_ptr<service::DiskStore>(*std::move(store));
}

}  // namespace

base::Result<std::unique_ptr<Engine>> Engine::make(const Settings& settings, source::Reactor& reactor,
                                                   base::LogSink& log, const FileBackend& make_files) {
  set_up_allocator();
  if (const auto ready = media::initialise_media("optimux"); !ready) return base::fail(ready.error());
  std::unique_ptr<Engine> engine(new Engine());
  engine->executor_ = media::make_in_process_executor(settings.media);
  auto image_pool = service::JobPool::make(settings.image_pool);
  if (!image_pool) return base::fail(image_pool.error());
  engine->image_pool_ = *std::move(image_pool);
  auto file_pool = service::JobPool::make(settings.file_pool);
  if (!file_pool) return base::fail(file_pool.error());
  engine->file_pool_ = *std::move(file_pool);
  auto objects = make_object_store(settings, reactor, runner_on(*engine->file_pool_));
  if (!objects) return base::fail(objects.error());
  engine->objects_ = *std::move(objects);
  auto files = make_files(reactor, runner_on(*engine->file_pool_), engine->objects_.get());
  if (!files) return base::fail(files.error());
  auto http = make_http(settings, reactor);
  if (!http) return base::fail(http.error());
  engine->source_ = std::make_unique<source::SourceRouter>(*std::move(files), *std::move(http),
                                                           make_object_urls(settings, engine->objects_.get(), reactor));
  if (auto kept = engine->make_disks(settings.disk_cache, log); !kept) return base::fail(kept.error());
  std::vector<std::shared_ptr<service::RenditionTier>> tiers;
  std::shared_ptr<service::SourceDisk> source_disk;
  if (engine->disk_) {
    tiers.push_back(std::make_shared<service::DiskTier>(engine->disk_, runner_on(*engine->file_pool_)));
    source_disk = std::make_shared<service::SourceDisk>(engine->source_disk_, runner_on(*engine->file_pool_));
  }
  if (auto shared = make_object_tier(settings, engine->objects_)) tiers.push_back(std::move(shared));
  engine->service_ =
      std::make_unique<service::RenditionService>(settings.service, *engine->image_pool_, *engine->source_,
                                                  *engine->executor_, log, std::move(tiers), std::move(source_disk));
  return engine;
}

base::Status Engine::make_disks(const DiskCacheSettings& settings, base::LogSink& log) {
  auto renditions = make_disk_store(settings.folder, kRenditionFolder, settings.limits(), log);
  if (!renditions) return base::fail(renditions.error());
  auto sources = make_disk_store(settings.folder, kSourceFolder, settings.source_limits(), log);
  if (!sources) return base::fail(sources.error());
  disk_ = *std::move(renditions);
  source_disk_ = *std::move(sources);
  return {};
}

base::Status Engine::apply(const Settings& settings) {
  const auto& pool = settings.image_pool;
  if (auto applied = image_pool_->set_limits(pool.workers_min, pool.workers_max); !applied) return applied;
  service_->set_limits(settings.service);
  if (disk_) disk_->set_limits(settings.disk_cache.limits());
  if (source_disk_) source_disk_->set_limits(settings.disk_cache.source_limits());
  return {};
}

Engine::FileBackend store_backend(const Settings& settings) {
  return [settings](source::Reactor& reactor, source::BlockingRunner runner,
                    source::ObjectStore* objects) -> Result<std::unique_ptr<Source>> {
    if (auto keys = make_object_keys(settings, objects, reactor)) return keys;
    const SourceSettings& source = settings.source;
    source::FileSourceSettings files{.root = {},
                                     .max_source_bytes = source.max_source_bytes,
                                     .buffers = std::make_shared<base::BufferStock>(kKeptSourceBytes)};
    if (!source.root.empty()) {
      auto root = source::RootDirectory::make(source.root);
      if (!root) return base::fail(root.error());
      files.root = *std::move(root);
    }
    return std::make_unique<source::FileSource>(std::move(files), reactor, std::move(runner));
  };
}

}  // namespace optimux::apps
