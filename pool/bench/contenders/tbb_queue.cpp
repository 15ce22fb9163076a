// oneTBB's bounded queue between the submitter and threads that take from it.

#include "contender.hpp"
#include "work.hpp"

#include <oneapi/tbb/concurrent_queue.h>
#include <atomic>
#include <thread>
#include <vector>

namespace optimux::pool::bench {
namespace {

class TbbQueue final : public Contender {
 public:
  explicit TbbQueue(int workers) {
    queue_.set_capacity(static_cast<std::ptrdiff_t>(kCapacity));
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~TbbQueue() override {
    for (std::size_t i = 0; i < threads_.size(); ++i) queue_.push(kLeave);
    for (std::thread& thread : threads_) thread.join();
  }
  void run(std::int64_t jobs, std::uint32_t steps) override {
    for (std::int64_t i = 0; i < jobs; ++i) queue_.push(steps);
    for (std::int64_t ended = ended_; ended < jobs; ended = ended_) ended_.wait(ended);
  }

 private:
  static constexpr std::int64_t kLeave = -1;

  // Counts in private while there is more to do, so that the count is not what is measured.
  void work() {
    std::int64_t counted = 0;
    for (;;) {
      std::int64_t steps = 0;
      if (!queue_.try_pop(steps)) {
        if (counted > 0) count(std::exchange(counted, 0));
        queue_.pop(steps);
      }
      if (steps == kLeave) return;
      burn(static_cast<std::uint32_t>(steps));
      ++counted;
    }
  }
  void count(std::int64_t jobs) {
    ended_ += jobs;
    ended_.notify_all();
  }

  tbb::concurrent_bounded_queue<std::int64_t> queue_;
  std::atomic<std::int64_t> ended_{0};
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Contender> make_tbb_queue(int workers) {
  return std::make_unique<TbbQueue>(workers);
}

}  // namespace optimux::pool::bench
