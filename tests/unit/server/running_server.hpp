#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/event_loop.hpp"
#include "server/server.hpp"
#include "unit/server/fake_backend.hpp"
#include "unit/server/recording_log.hpp"

namespace optimux::server {

/// Settings with ports picked by the system.
ServerSettings test_settings();

/// A server over a fake backend that runs in a thread of its own until it is destroyed.
class RunningServer {
 public:
  explicit RunningServer(const ServerSettings& settings = test_settings());
  ~RunningServer();

  const std::string& url() const { return bound_.front().url; }
  const std::string& admin_url() const { return bound_.back().url; }
  Server& server() { return *server_; }
  FakeBackend& backend() { return backend_; }
  RecordingLog& log() { return log_; }
  /// Runs `task` in the loop's thread and waits for its end.
  void in_loop(const std::function<void()>& task);
  /// Waits for the end of `run`, and gives what it returned.
  bool join();

 private:
  RecordingLog log_;
  FakeBackend backend_;
  EventLoop loop_;
  std::unique_ptr<Server> server_;
  std::vector<BoundAddress> bound_;
  bool was_clean_ = false;
  std::thread thread_;
};

}  // namespace optimux::server
