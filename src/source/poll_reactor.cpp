#include "source/poll_reactor.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>

#include "source/source_error.hpp"

namespace optimux::source {
namespace {

short to_poll(unsigned interest) {
  const unsigned events = ((interest & Reactor::kRead) ? POLLIN : 0u) | ((interest & Reactor::kWrite) ? POLLOUT : 0u);
  return static_cast<short>(events);
}

// Errors and hang-ups count as ready for all that is watched: the owner's next call on the descriptor tells it more.
unsigned to_ready(short events, unsigned interest) {
  if (events & (POLLERR | POLLHUP | POLLNVAL)) return interest;
  return ((events & POLLIN) ? Reactor::kRead : 0u) | ((events & POLLOUT) ? Reactor::kWrite : 0u);
}

}  // namespace

base::Result<std::unique_ptr<PollReactor>> PollReactor::make() {
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return base::fail(source_fault("eventfd: " + system_message(errno)));
  return std::unique_ptr<PollReactor>(new PollReactor(std::move(wake)));
}

PollReactor::~PollReactor() = default;

void PollReactor::post(std::function<void()> task) {
  const base::MutexLock lock(mutex_);
  posted_.push_back(std::move(task));
  if (posted_.size() > 1) return;  // The wake-up for the first one is still to be taken.
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  assert(written == sizeof one && "an eventfd takes 2^64 - 2 wake-ups");
}

void PollReactor::watch(int descriptor, unsigned interest, std::function<void(unsigned ready)> callback) {
  if (interest == kNone) {
    watches_.erase(descriptor);
    return;
  }
  watches_[descriptor] =
      Watch{interest, next_registration_++, std::make_shared<const std::function<void(unsigned)>>(std::move(callback))};
}

Reactor::TimerId PollReactor::start_timer(std::chrono::milliseconds delay, std::function<void()> task) {
  const TimerId id = next_timer_++;
  const Clock::time_point time = Clock::now() + std::max(delay, std::chrono::milliseconds(0));
  timers_.emplace(std::make_pair(time, id), std::move(task));
  timer_times_.emplace(id, time);
  return id;
}

void PollReactor::cancel_timer(TimerId timer) {
  const auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return;
  timers_.erase({found->second, timer});
  timer_times_.erase(found);
}

void PollReactor::run() {
  while (!stopping_) {
    wait_for_events();
    run_due_timers();
    run_posted();
  }
  stopping_ = false;
}

void PollReactor::stop() {
  post([this] { stopping_ = true; });
}

void PollReactor::run_posted() {
  std::vector<std::function<void()>> tasks;
  {
    const base::MutexLock lock(mutex_);
    drain_wake();
    tasks.swap(posted_);
  }
  for (auto& task : tasks) {
    task();
    task = nullptr;  // What a task holds goes before the next one runs.
  }
}

void PollReactor::run_due_timers() {
  const Clock::time_point now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto timer = timers_.extract(timers_.begin());
    timer_times_.erase(timer.key().second);
    timer.mapped()();
  }
}

void PollReactor::wait_for_events() {
  std::vector<pollfd> events;
  std::vector<std::uint64_t> registrations;
  events.push_back({wake_.get(), POLLIN, 0});
  registrations.push_back(0);
  for (const auto& [descriptor, watch] : watches_) {
    events.push_back({descriptor, to_poll(watch.interest), 0});
    registrations.push_back(watch.registration);
  }
  if (::poll(events.data(), events.size(), poll_timeout()) <= 0) return;
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (events[i].revents != 0) dispatch(events[i], registrations[i]);
  }
}

// A callback before this one may have changed or dropped the watch, or closed the descriptor and opened another one.
void PollReactor::dispatch(const pollfd& event, std::uint64_t registration) {
  const auto found = watches_.find(event.fd);
  if (found == watches_.end() || found->second.registration != registration) return;
  const auto callback = found->second.callback;
  (*callback)(to_ready(event.revents, found->second.interest));
}

void PollReactor::drain_wake() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = ::read(wake_.get(), &count, sizeof count);
}

int PollReactor::poll_timeout() const {
  if (timers_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace optimux::source
