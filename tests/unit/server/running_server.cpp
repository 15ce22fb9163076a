#include "unit/server/running_server.hpp"

#include <future>

namespace optimux::server {

ServerSettings test_settings() {
  ServerSettings settings;
  settings.listen = {"127.0.0.1:0"};
  settings.admin = "127.0.0.1:0";
  settings.drain_idle_grace = std::chrono::milliseconds(1);
  return settings;
}

RunningServer::RunningServer(const ServerSettings& settings)
    : server_(*Server::make(loop_, settings, backend_, log_)), bound_(*server_->start()) {
  thread_ = std::thread([this] { was_clean_ = server_->run(); });
}

RunningServer::~RunningServer() {
  server_->stop();
  join();
}

void RunningServer::in_loop(const std::function<void()>& task) {
  std::promise<void> done;
  loop_.post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

bool RunningServer::join() {
  if (thread_.joinable()) thread_.join();
  return was_clean_;
}

}  // namespace optimux::server
