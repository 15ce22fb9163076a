#include "apps/optimux/serve/exit_watch.hpp"

#include <pthread.h>
#include <unistd.h>

namespace optimux::apps {

ExitWatch::~ExitWatch() {
  {
    base::MutexLock lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ExitWatch::arm(std::chrono::milliseconds patience, int exit_code) {
  const auto end = std::chrono::steady_clock::now() + patience;
  thread_ = std::thread([this, end, exit_code] {
    ::pthread_setname_np(::pthread_self(), "exit-watch");
    watch(end, exit_code);
  });
}

void ExitWatch::watch(std::chrono::steady_clock::time_point end, int exit_code) {
  base::MutexLock lock(mutex_);
  bool has_time = true;
  while (!has_ended_ && has_time) has_time = ended_.wait_until(mutex_, end);
  if (has_ended_) return;
  log_.warning("left a worker behind", {{"reason", "an encoder that cannot be stopped"}, {"exit", exit_code}});
  ::_exit(exit_code);
}

}  // namespace optimux::apps
