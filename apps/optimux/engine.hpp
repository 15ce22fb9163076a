#pragma once

#include "apps/optimux/settings/settings.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "media/executor.hpp"
#include "service/disk_store.hpp"
#include "service/job_pool.hpp"
#include "service/rendition_service.hpp"
#include "source/object_store.hpp"
#include "source/reactor.hpp"
#include "source/source.hpp"

#include <functional>
#include <memory>

namespace optimux::apps {

/// Everything that makes renditions, wired together: sources, pools, executor, service. The server and the commands use
/// the same one, so that they give the same bytes.
class Engine {
 public:
  /// Makes the backend for locators of kind kFile, which is all that differs between the server and the commands.
  /// `objects` is null where no object store is configured.
  using FileBackend = std::function<base::Result<std::unique_ptr<source::Source>>(
      source::Reactor& reactor, source::BlockingRunner runner, source::ObjectStore* objects)>;

  /// `reactor` and `log` must outlive the engine. Starts libvips and the pools' threads; signals that a thread of the
  /// caller is to take must be blocked before. Called once in a process. Errors: kInvalidParameter naming the setting,
  /// kInternal when libvips cannot start.
  static base::Result<std::unique_ptr<Engine>> make(const Settings& settings, source::Reactor& reactor,
                                                    base::LogSink& log, const FileBackend& make_files);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// Waits for running jobs. In the loop's thread, or after the loop has ended.
  ~Engine() = default;

  service::RenditionService& service() { return *service_; }
  service::JobPool& pool() { return *image_pool_; }
  const service::JobPool& pool() const { return *image_pool_; }

  /// Null where no object store is configured.
  const source::ObjectStore* objects() const { return objects_.get(); }

  /// Takes over what may change while running: limits of the pool and of the service. Errors: kInvalidParameter naming
  /// the setting.
  base::Status apply(const Settings& settings);

 private:
  Engine() = default;
  base::Status make_disks(const DiskCacheSettings& settings, base::LogSink& log);

  // In the order of dependence: what stands below uses what stands above, and goes first.
  std::unique_ptr<media::Executor> executor_;
  std::unique_ptr<service::JobPool> image_pool_;
  std::unique_ptr<service::JobPool> file_pool_;
  std::shared_ptr<source::ObjectStore> objects_;  ///< Null where none is configured.
  std::unique_ptr<source::Source> source_;
  std::shared_ptr<service::DiskStore> disk_;         ///< Of renditions; null without a folder.
  std::shared_ptr<service::DiskStore> source_disk_;  ///< Of sources; null without a folder.
  std::unique_ptr<service::RenditionService> service_;
};

/// The backend of the default store: the bucket of `settings.objects.store`, or the files below
/// `settings.source.root`; without either every key is kNotFound.
Engine::FileBackend store_backend(const Settings& settings);

}  // namespace optimux::apps
