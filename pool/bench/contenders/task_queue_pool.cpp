// The classic: threads around an unbounded std::queue of type-erased tasks, one mutex, one condition variable that
// every submission notifies, and a count of the tasks being run so that one can wait for all. It stands for
// BS::thread_pool, which is not packaged: what its documentation describes, written anew, without priorities and
// pausing.

#include "contender.hpp"
#include "work.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace optimux::pool::bench {
namespace {

class TaskQueuePool final : public Contender {
 public:
  explicit TaskQueuePool(int workers) : running_(workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~TaskQueuePool() override {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    task_available_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void run(std::int64_t jobs, std::uint32_t steps) override {
    for (; jobs > 0; --jobs) detach_task([steps] { burn(steps); });
    wait();
  }

 private:
  void detach_task(std::function<void()>&& task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push(std::move(task));
    }
    task_available_.notify_one();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    waiting_ = true;
    tasks_done_.wait(lock, [this] { return running_ == 0 && tasks_.empty(); });
    waiting_ = false;
  }

  // A worker counts as running until it comes back for its next task.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      --running_;
      if (waiting_ && running_ == 0 && tasks_.empty()) tasks_done_.notify_all();
      task_available_.wait(lock, [this] { return leaving_ || !tasks_.empty(); });
      if (leaving_) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop();
      ++running_;
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable task_available_;
  std::condition_variable tasks_done_;
  std::queue<std::function<void()>> tasks_;
  int running_;
  bool waiting_ = false;
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Contender> make_task_queue_pool(int workers) {
  return std::make_unique<TaskQueuePool>(workers);
}

}  // namespace optimux::pool::bench
