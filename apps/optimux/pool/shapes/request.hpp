#pragma once

#include "base/mutex.hpp"
#include "base/result.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace optimux::apps {

/// One request on its way through a shape: fetched, then processed, while a client waits for it.
class Request {
 public:
  using Clock = std::chrono::steady_clock;

  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() = default;

  std::shared_ptr<void> source;  ///< What the first stage has fetched for the second.

  /// The first bytes of the answer are there. Called by the second stage, at most once.
  void note_first_bytes() { first_bytes_ = Clock::now(); }
  /// A stage has failed; the first reason stays.
  void fail(base::Error error) {
    if (!error_) error_ = std::move(error);
  }
  bool has_failed() const { return error_.has_value(); }

  /// All of the answer is there: lets the client go. The last thing that a shape does with it.
  void finish() OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    is_finished_ = true;
    finished_.notify_all();
  }
  /// Blocks until `finish`.
  void wait() OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (!is_finished_) finished_.wait(mutex_);
  }

  // After `wait`.
  const std::optional<base::Error>& error() const { return error_; }
  std::optional<Clock::time_point> first_bytes() const { return first_bytes_; }

 private:
  std::optional<base::Error> error_;
  std::optional<Clock::time_point> first_bytes_;
  base::Mutex mutex_;
  base::ConditionVariable finished_;
  bool is_finished_ OPTIMUX_GUARDED_BY(mutex_) = false;
};

/// One half of the work on a request; blocks. Called by one thread at a time for each request.
using Stage = std::function<void(Request&)>;

/// The whole work.
struct Stages {
  Stage fetch;    ///< Short, and mostly waits.
  Stage process;  ///< Long, and computes.

  /// Both, and the end.
  void run(Request& request) const {
    fetch(request);
    finish(request);
  }
  /// The second half, and the end.
  void finish(Request& request) const {
    if (!request.has_failed()) process(request);
    request.finish();
  }
};

}  // namespace optimux::apps
