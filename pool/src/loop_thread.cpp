#include "optimux/pool/detail/loop_thread.hpp"

#include "optimux/pool/wait.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>
#include <vector>

namespace optimux::pool::detail {
namespace {

constexpr int kWakeUp = -1;
constexpr std::size_t kEventsAtOnce = 128;
// A busy thread looks at its descriptors once in so many turns.
constexpr unsigned kTurnsBetweenLooks = 16;
// The kernel may put off the end of a sleep by this much. Its default, 50 us, is 5 % of a sleep of a millisecond.
constexpr unsigned long kTimerSlackNs = 1'000;

thread_local LoopThread* current_thread = nullptr;

int checked(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return descriptor;
}

// Kernels before 5.11 know only whole milliseconds: rounded up, so that nobody spins in front of a timer.
int wait_for_events(int epoll, std::array<epoll_event, kEventsAtOnce>& events, Duration at_most) {
  const int most = static_cast<int>(events.size());
  if (at_most == Duration::max()) return ::epoll_wait(epoll, events.data(), most, -1);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  timespec limit{};
  limit.tv_sec = static_cast<std::time_t>(seconds.count());
  limit.tv_nsec = static_cast<long>((at_most - seconds).count());
  const int count = ::epoll_pwait2(epoll, events.data(), most, &limit, nullptr);
  if (count >= 0 || errno != ENOSYS) return count;
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
  return ::epoll_wait(epoll, events.data(), most, static_cast<int>(std::min<std::int64_t>(milliseconds, INT_MAX)));
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

LoopThread::LoopThread(LoopState& loop)
    : loop_(loop),
      epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_up_(checked(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")) {
  // Edge-triggered: each write is an event, and nobody has to read it away.
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.fd = kWakeUp;
  checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_up_.get(), &event), "epoll_ctl");
  awakening_.thread = this;
  awakening_.run = [](Posted& posted) { static_cast<Awakening&>(posted).thread->wake_posted_.store(false); };
}

LoopThread* LoopThread::current() {
  return current_thread;
}

void LoopThread::post(Posted& posted) {
  if (is_current()) {
    ready_.push(posted);
  } else {
    push_remote(posted);
  }
}

void LoopThread::push_remote(Posted& posted) {
  Posted* top = remote_.load(std::memory_order_relaxed);
  do {
    posted.next = top == &asleep_ ? nullptr : top;
  } while (!remote_.compare_exchange_weak(top, &posted, std::memory_order_release, std::memory_order_relaxed));
  if (top != &asleep_) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written =
      ::write(wake_up_.get(), &one, sizeof one);  // fails only when it is signalled
}

void LoopThread::wake() {
  if (!wake_posted_.exchange(true)) post(awakening_);
}

// The stack has the latest on top: turned round, it is in the order of posting.
void LoopThread::take_remote() {
  if (remote_.load(std::memory_order_relaxed) == nullptr) return;
  Posted* top = remote_.exchange(nullptr, std::memory_order_acquire);
  if (top == &asleep_) return;
  Posted* first = nullptr;
  while (top != nullptr) {
    Posted* const below = std::exchange(top->next, first);
    first = std::exchange(top, below);
  }
  while (first != nullptr) {
    Posted* const next = first->next;
    ready_.push(*first);
    first = next;
  }
}

void LoopThread::run() {
  ::prctl(PR_SET_TIMERSLACK, kTimerSlackNs, 0, 0, 0);
  const auto at_end = [this] {
    return loop_.stopping.load() && loop_.tasks.load() == 0 && ready_.empty() && remote_.load() == nullptr;
  };
  while (!at_end()) turn(true);
}

std::size_t LoopThread::turn(bool may_sleep) {
  LoopThread* const before = std::exchange(current_thread, this);
  rest(may_sleep);
  turn_time_ = loop_.clock->now();
  ++turns_;
  const std::size_t timers = timers_.size();
  timers_.advance(turn_time_, ready_);
  wake_ahead_.fired(timers - timers_.size());
  if (loop_.stopping.load()) cut_waits_short();
  PostedList batch;  // what they post in turn comes after a look at the clock
  batch.append(ready_);
  std::size_t ran = 0;
  for (; Posted* const posted = batch.pop(); ++ran) posted->run(*posted);
  current_thread = before;
  return ran;
}

// Sleeps if there is nothing to do; else looks at the descriptors now and then.
void LoopThread::rest(bool may_sleep) {
  take_remote();
  const TimePoint due = timers_.next_due();
  if (may_sleep && ready_.empty()) {
    const TimePoint now = loop_.clock->now();
    const TimePoint until = due > now ? wake_ahead_.rest_until(now, due) : now;
    if (until > now) return sleep_until(until);
  }
  if (watches_.empty() || (may_sleep && ++turns_without_looking_ < kTurnsBetweenLooks)) return;
  look_at_descriptors(Duration::zero());
}

void LoopThread::sleep_until(TimePoint until) {
  Posted* nothing = nullptr;
  if (remote_.compare_exchange_strong(nothing, &asleep_, std::memory_order_acq_rel)) {
    const int events =
        look_at_descriptors(until == kNever ? Duration::max() : std::max(until - loop_.clock->now(), Duration::zero()));
    Posted* mark = &asleep_;
    remote_.compare_exchange_strong(mark, nullptr, std::memory_order_acq_rel);
    if (events == 0 && until != kNever) {
      wake_ahead_.overslept(loop_.clock->now(), until);
    } else {
      wake_ahead_.woke(loop_.clock->now());
    }
  }
  take_remote();
}

int LoopThread::look_at_descriptors(Duration at_most) {
  turns_without_looking_ = 0;
  std::array<epoll_event, kEventsAtOnce>
      events;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the kernel
  const int count = wait_for_events(epoll_.get(), events, at_most);
  for (int i = 0; i < count; ++i) report(events[static_cast<std::size_t>(i)]);
  return count;
}

void LoopThread::report(const epoll_event& event) {
  const auto at = watches_.find(event.data.fd);
  if (at == watches_.end()) return;  // the wake-up, or a wait that has ended already
  const Watch watch = at->second;
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  const bool read = watch.reader != nullptr && (broken || (event.events & (EPOLLIN | EPOLLRDHUP)) != 0);
  const bool write = watch.writer != nullptr && (broken || (event.events & EPOLLOUT) != 0);
  if (read) watch.reader->settle(Waited::kReady);
  if (write) watch.writer->settle(Waited::kReady);
}

// One-shot: the kernel reports a descriptor once and then forgets what for, so that a wait that nobody renews costs
// nothing. It stays registered, and the next wait only has to arm it again.
bool LoopThread::arm(int descriptor, const Watch& watch) const {
  epoll_event event{};
  event.events = EPOLLONESHOT;
  if (watch.reader != nullptr) event.events |= EPOLLIN | EPOLLRDHUP;
  if (watch.writer != nullptr) event.events |= EPOLLOUT;
  event.data.fd = descriptor;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event) == 0) return true;
  return errno == ENOENT && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

bool LoopThread::watch(Wait& wait) {
  Watch& watch = watches_[wait.descriptor()];
  Wait*& place = wait.direction() == Wait::Direction::kRead ? watch.reader : watch.writer;
  if (place != nullptr) return false;
  place = &wait;
  if (arm(wait.descriptor(), watch)) return true;
  place = nullptr;
  if (watch.reader == nullptr && watch.writer == nullptr) watches_.erase(wait.descriptor());
  return false;
}

void LoopThread::unwatch(const Wait& wait, bool reported) {
  const auto at = watches_.find(wait.descriptor());
  Watch& watch = at->second;
  (wait.direction() == Wait::Direction::kRead ? watch.reader : watch.writer) = nullptr;
  const bool awaited = watch.reader != nullptr || watch.writer != nullptr;
  if (awaited || !reported) arm(wait.descriptor(), watch);  // for the other wait, or for nothing
  if (!awaited) watches_.erase(at);
}

void LoopThread::cut_waits_short() {
  timers_.take_all(ready_);
  std::vector<Wait*> waits;
  for (const auto& [descriptor, watch] : watches_) {
    if (watch.reader != nullptr) waits.push_back(watch.reader);
    if (watch.writer != nullptr) waits.push_back(watch.writer);
  }
  for (Wait* wait : waits) wait->settle(Waited::kCancelled);
}

}  // namespace optimux::pool::detail
