// The plainest bounded pool of one's own: a ring of jobs of one type, a mutex, and two condition variables, for jobs
// and for places, each notified only when somebody waits on it.

#include "contender.hpp"
#include "work.hpp"

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace optimux::pool::bench {
namespace {

class MutexPool final : public Contender {
 public:
  explicit MutexPool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~MutexPool() override {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    jobs_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void run(std::int64_t jobs, std::uint32_t steps) override {
    for (; jobs > 0; --jobs) submit(steps);
    std::unique_lock lock(mutex_);
    waiting_for_end_ = true;
    ended_.wait(lock, [this] { return size_ == 0 && running_ == 0; });
  }

 private:
  void submit(std::uint32_t steps) {
    std::unique_lock lock(mutex_);
    submitter_waits_ = true;
    places_.wait(lock, [this] { return size_ < kCapacity; });
    submitter_waits_ = false;
    ring_[(first_ + size_++) % kCapacity] = steps;
    const bool notify = waiting_ > 0;
    lock.unlock();
    if (notify) jobs_.notify_one();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++waiting_;
      jobs_.wait(lock, [this] { return leaving_ || size_ > 0; });
      --waiting_;
      if (leaving_) return;
      const std::uint32_t steps = ring_[first_];
      first_ = (first_ + 1) % kCapacity;
      --size_;
      ++running_;
      const bool notify = submitter_waits_;
      lock.unlock();
      if (notify) places_.notify_one();
      burn(steps);
      lock.lock();
      --running_;
      if (waiting_for_end_ && size_ == 0 && running_ == 0) ended_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable jobs_;
  std::condition_variable places_;
  std::condition_variable ended_;
  std::array<std::uint32_t, kCapacity> ring_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  int running_ = 0;
  int waiting_ = 0;
  bool submitter_waits_ = false;
  bool waiting_for_end_ = false;
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Contender> make_mutex_pool(int workers) {
  return std::make_unique<MutexPool>(workers);
}

}  // namespace optimux::pool::bench
