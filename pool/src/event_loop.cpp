#include "optimux/pool/event_loop.hpp"

#include <system_error>
#include <utility>

namespace optimux::pool {
namespace {

constexpr int kMostThreads = 1024;

struct PostedFunction : detail::Posted {
  explicit PostedFunction(UniqueFunction<void()> to_call)
      : Posted(&PostedFunction::call), function(std::move(to_call)) {}
  static void call(Posted& posted) {
    const std::unique_ptr<PostedFunction> self(static_cast<PostedFunction*>(&posted));
    self->function();
  }
  UniqueFunction<void()> function;
};

}  // namespace

Made<std::unique_ptr<EventLoop>> EventLoop::make(EventLoopOptions options) {
  if (options.threads < 1 || options.threads > kMostThreads) {
    return ConfigError{"threads", "must be from 1 to " + std::to_string(kMostThreads)};
  }
  if (!options.own_threads && options.threads != 1) return ConfigError{"threads", "must be 1 without own_threads"};
  if (!options.clock) return ConfigError{"clock", "must not be null"};
  const int threads = options.threads;
  const bool own_threads = options.own_threads;
  std::unique_ptr<EventLoop> loop(new EventLoop(std::move(options)));
  try {
    for (int i = 0; i < threads; ++i) loop->loops_.push_back(std::make_unique<detail::LoopThread>(loop->state_));
    if (own_threads) loop->start_threads();
  } catch (const std::system_error& error) {
    return ConfigError{"threads", error.what()};
  }
  return loop;
}

EventLoop::EventLoop(EventLoopOptions&& options) : on_thread_start_(std::move(options.on_thread_start)) {
  state_.clock = std::move(options.clock);
}

void EventLoop::start_threads() {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    threads_.emplace_back([this, i] {
      if (on_thread_start_) on_thread_start_(static_cast<int>(i));
      loops_[i]->run();
    });
  }
}

EventLoop::~EventLoop() {
  stop();
  for (std::thread& thread : threads_) thread.join();
  // Without threads of its own this is where the tasks come to their end; else it is for what was posted too late.
  for (const auto& loop : loops_) {
    while (loop->turn(state_.tasks.load() > 0) > 0 || state_.tasks.load() > 0) {
    }
  }
}

detail::LoopThread& EventLoop::next_thread() {
  return *loops_[next_.fetch_add(1, std::memory_order_relaxed) % loops_.size()];
}

detail::LoopThread& EventLoop::here() {
  detail::LoopThread* const current = detail::LoopThread::current();
  return current != nullptr && &current->loop() == &state_ ? *current : next_thread();
}

TimePoint EventLoop::clock_from_now(Duration duration) const {
  const TimePoint now = state_.clock->now();
  return duration >= kNever - now ? kNever - Duration(1) : now + duration;
}

void EventLoop::post(UniqueFunction<void()> function) {
  here().post(*new PostedFunction(std::move(function)));  // frees itself once it has been called
}

void EventLoop::spawn(Task<> task) {
  hold();
  drive(std::move(task));
}

detail::Detached EventLoop::drive(Task<> task) {
  detail::LoopThread& thread = next_thread();
  co_await detail::Hop(thread);
  {
    const Task<> own = std::move(task);  // its frame goes before the loop hears of its end
    co_await own;
  }
  if (!thread.is_current()) co_await detail::Hop(thread);  // only there the loop is sure to outlive what follows
  release();
}

void EventLoop::release() {
  if (state_.tasks.fetch_sub(1) == 1 && stopping()) wake();
}

void EventLoop::stop() {
  state_.stopping.store(true);
  wake();
}

void EventLoop::wake() {
  for (const auto& loop : loops_) loop->wake();
}

std::size_t EventLoop::turn() {
  return loops_.front()->turn(false);
}

}  // namespace optimux::pool
