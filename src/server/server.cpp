#include "server/server.hpp"

#include <utility>

#include "server/server_core.hpp"
#include "server/settings_check.hpp"

namespace optimux::server {

Server::Server(std::unique_ptr<ServerCore> core) : core_(std::move(core)) {}
Server::~Server() = default;

base::Result<std::unique_ptr<Server>> Server::make(EventLoop& loop, const ServerSettings& settings, Backend& backend,
                                                   base::LogSink& log, ServerHooks hooks) {
  if (auto status = check(settings); !status) return base::fail(status.error());
  auto core = std::make_unique<ServerCore>(loop, settings, backend, log, std::move(hooks));
  return std::unique_ptr<Server>(new Server(std::move(core)));
}

base::Result<std::vector<BoundAddress>> Server::start() {
  return core_->start();
}
void Server::handle_signals() {
  core_->handle_signals();
}
bool Server::run() {
  return core_->run();
}
void Server::begin_drain() {
  core_->post_drain();
}
void Server::stop() {
  core_->post_stop();
}
base::Status Server::set_settings(const ServerSettings& settings) {
  return core_->set_settings(settings);
}

}  // namespace optimux::server
