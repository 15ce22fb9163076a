#include <utility>

#include "server/server.hpp"
#include "server/server_core.hpp"

namespace optimux::server {

base::Result<std::unique_ptr<Server>> Server::make(EventLoop& loop, const ServerSettings& settings,
                                                   service::RenditionService& service, service::JobPool& pool,
                                                   base::LogSink& log, ServerHooks hooks) {
  auto own_backend = std::make_unique<ServiceBackend>(service, pool, hooks.objects);
  auto server = make(loop, settings, *own_backend, log, std::move(hooks));
  if (server) (*server)->core_->own(std::move(own_backend));
  return server;
}

}  // namespace optimux::server
