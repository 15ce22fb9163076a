#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "source/poll_reactor.hpp"
#include "source/source.hpp"

namespace optimux::source {

using FetchResult = base::Result<FetchedSource>;

/// A `PollReactor` that runs in a thread of its own.
class LoopThread {
 public:
  LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  ~LoopThread();

  PollReactor& reactor() { return *reactor_; }
  std::thread::id id() const { return thread_.get_id(); }
  /// Runs `task` in the loop's thread and waits for its end.
  void run(const std::function<void()>& task);

 private:
  std::unique_ptr<PollReactor> reactor_;
  std::thread thread_;
};

/// Starts a fetch; the future holds its result. The test fails when the callback comes twice.
std::future<FetchResult> start_fetch(Source& source, FetchRequest request);

/// Fetches and waits.
FetchResult fetch(Source& source, SourceLocator locator);

/// The bytes as text; empty when the fetch has failed.
std::string text_of(const FetchResult& result);

/// The name of the error code, or `ok`: what tests compare, because it reads well when they fail.
std::string outcome_of(const FetchResult& result);

}  // namespace optimux::source
