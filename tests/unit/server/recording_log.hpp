#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/mutex.hpp"

namespace optimux::server {

/// Keeps the lines that it is given.
class RecordingLog final : public base::LogSink {
 public:
  void write(base::LogLevel, std::string_view event, std::span<const base::LogField> fields) override {
    base::MutexLock lock(mutex_);
    lines_.push_back(base::format_log_line(base::LogFormat::kText, event, fields));
    written_.notify_all();
  }
  void set_level(base::LogLevel level) override { level_ = level; }
  base::LogLevel level() const override { return level_; }

  /// Waits for a line that has `text`, and gives it. Blocks.
  std::string wait_for(std::string_view text) {
    base::MutexLock lock(mutex_);
    while (true) {
      for (const std::string& line : lines_) {
        if (line.find(text) != std::string::npos) return line;
      }
      written_.wait(mutex_);
    }
  }

 private:
  std::atomic<base::LogLevel> level_{base::LogLevel::kInfo};
  base::Mutex mutex_;
  base::ConditionVariable written_;
  std::vector<std::string> lines_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::server
