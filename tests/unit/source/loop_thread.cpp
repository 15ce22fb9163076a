#include "unit/source/loop_thread.hpp"

#include <atomic>

#include <gtest/gtest.h>

namespace optimux::source {

LoopThread::LoopThread() : reactor_(PollReactor::make().value()), thread_([this] { reactor_->run(); }) {}

LoopThread::~LoopThread() {
  reactor_->stop();
  thread_.join();
}

void LoopThread::run(const std::function<void()>& task) {
  std::promise<void> done;
  reactor_->post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

std::future<FetchResult> start_fetch(Source& source, FetchRequest request) {
  auto promise = std::make_shared<std::promise<FetchResult>>();
  auto calls = std::make_shared<std::atomic<int>>(0);
  source.fetch(std::move(request), [promise, calls](FetchResult result) {
    const int call = calls->fetch_add(1);
    EXPECT_EQ(call, 0) << "the callback came more than once";
    if (call == 0) promise->set_value(std::move(result));
  });
  return promise->get_future();
}

FetchResult fetch(Source& source, SourceLocator locator) {
  return start_fetch(source, FetchRequest{std::move(locator), {}, {}}).get();
}

std::string text_of(const FetchResult& result) {
  if (!result) return {};
  return std::string(reinterpret_cast<const char*>(result->bytes->data()), result->bytes->size());
}

std::string outcome_of(const FetchResult& result) {
  return result ? "ok" : std::string(base::name_of(result.error().code));
}

}  // namespace optimux::source
