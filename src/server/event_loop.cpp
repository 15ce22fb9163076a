#include "server/event_loop.hpp"

#include <cassert>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/event_loop_inner.hpp"

namespace optimux::server {

namespace asio = boost::asio;

/// The reactor of the sources on Asio: one `stream_descriptor` and at most one pending wait a direction for each
/// watched descriptor. Asio's waits fire once, so each is renewed after its callback for as long as there is interest.
class AsioReactor final : public source::Reactor {
 public:
  explicit AsioReactor(asio::io_context& context) : context_(context) {}
  ~AsioReactor() override {
    for (auto& [descriptor, watch] : watches_) watch->descriptor.release();
  }

  void post(std::function<void()> task) override { asio::post(context_, std::move(task)); }

  void watch(int descriptor, unsigned interest, std::function<void(unsigned)> callback) override {
    const auto found = watches_.find(descriptor);
    if (interest == kNone) {
      if (found == watches_.end()) return;
      found->second->interest = kNone;
      found->second->descriptor.release();
      watches_.erase(found);
      return;
    }
    std::shared_ptr<Watch> watch = found != watches_.end() ? found->second : nullptr;
    if (watch == nullptr) {
      watch = std::make_shared<Watch>(context_);
      boost::system::error_code error;
      watch->descriptor.assign(descriptor, error);
      assert(!error && "sources watch sockets and pipes");
      watches_.emplace(descriptor, watch);
    }
    watch->interest = interest;
    watch->callback = std::move(callback);
    arm(watch);
  }

  TimerId start_timer(std::chrono::milliseconds delay, std::function<void()> task) override {
    const TimerId id = ++last_timer_;
    const auto entry = timers_.emplace(id, std::make_unique<asio::steady_timer>(context_, delay)).first;
    entry->second->async_wait([this, id, task = std::move(task)](boost::system::error_code) {
      if (timers_.erase(id) > 0) task();  // Not there any more: cancelled after it had fired.
    });
    return id;
  }

  void cancel_timer(TimerId timer) override { timers_.erase(timer); }

 private:
  struct Watch {
    explicit Watch(asio::io_context& context) : descriptor(context) {}
    asio::posix::stream_descriptor descriptor;
    unsigned interest = kNone;
    unsigned armed = kNone;
    std::function<void(unsigned)> callback;
  };

  static void arm(const std::shared_ptr<Watch>& watch) {
    for (const Interest kind : {kRead, kWrite}) {
      if ((watch->interest & kind) == 0 || (watch->armed & kind) != 0) continue;
      watch->armed |= kind;
      const auto direction =
          kind == kRead ? asio::posix::stream_descriptor::wait_read : asio::posix::stream_descriptor::wait_write;
      watch->descriptor.async_wait(direction, [watch, kind](boost::system::error_code error) {
        watch->armed &= ~static_cast<unsigned>(kind);
        if (error || (watch->interest & kind) == 0) return;
        const auto callback = watch->callback;  // It may forget the descriptor, and itself with it.
        callback(kind);
        arm(watch);
      });
    }
  }

  asio::io_context& context_;
  std::unordered_map<int, std::shared_ptr<Watch>> watches_;
  std::unordered_map<TimerId, std::unique_ptr<asio::steady_timer>> timers_;
  TimerId last_timer_ = 0;
};

namespace {

void await_signal(EventLoop::Inner& inner) {
  inner.signals.async_wait([&inner](boost::system::error_code error, int signal) {
    if (error) return;
    inner.on_signal(signal);
    await_signal(inner);
  });
}

}  // namespace

EventLoop::Inner::Inner() : reactor(std::make_unique<AsioReactor>(context)) {}
EventLoop::Inner::~Inner() = default;

EventLoop::EventLoop() : inner_(std::make_unique<Inner>()) {}
EventLoop::~EventLoop() = default;

source::Reactor& EventLoop::reactor() {
  return *inner_->reactor;
}

void EventLoop::post(std::function<void()> task) {
  asio::post(inner_->context, std::move(task));
}

void EventLoop::on_signals(const std::vector<int>& signals, std::function<void(int)> callback) {
  boost::system::error_code ignored;
  inner_->signals.cancel(ignored);
  inner_->signals.clear(ignored);
  inner_->on_signal = std::move(callback);
  for (const int signal : signals) inner_->signals.add(signal, ignored);
  if (!signals.empty()) await_signal(*inner_);
}

void EventLoop::run() {
  const auto work = asio::make_work_guard(inner_->context);
  inner_->context.run();
  inner_->context.restart();
}

void EventLoop::stop() {
  inner_->context.stop();
}

void EventLoop::run_ready() {
  inner_->context.restart();
  inner_->context.poll();
  inner_->context.restart();
}

}  // namespace optimux::server
