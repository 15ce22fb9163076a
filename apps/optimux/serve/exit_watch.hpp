#pragma once

#include "base/log.hpp"
#include "base/mutex.hpp"

#include <chrono>
#include <thread>

namespace optimux::apps {

/// Sees to it that a process that has answered its last request ends. What is left then is to wait for workers, and one
/// of them may be inside an encoder that cannot be stopped and whose result nobody wants any more.
///
/// To be made before the things whose destruction may take long, so that it outlives them.
class ExitWatch {
 public:
  /// `log` must outlive the watch.
  explicit ExitWatch(base::LogSink& log) : log_(log) {}
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;
  /// Ends the watch: the process may go on. Waits for the watch's thread.
  ~ExitWatch();

  /// From now on: if the watch still exists after `patience`, the process ends with `exit_code`, without any further
  /// destructor. Called once. Does not block.
  void arm(std::chrono::milliseconds patience, int exit_code);

 private:
  void watch(std::chrono::steady_clock::time_point end, int exit_code);

  base::LogSink& log_;
  base::Mutex mutex_;
  base::ConditionVariable ended_;
  bool has_ended_ OPTIMUX_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace optimux::apps
