// The pure work: as many threads as there are usable CPUs do an equal share each, and nothing is handed over.

#include "contender.hpp"
#include "optimux/pool/cpu_count.hpp"
#include "work.hpp"

#include <latch>
#include <thread>
#include <vector>

namespace optimux::pool::bench {
namespace {

class NoPool final : public Contender {
 public:
  NoPool() {
    for (int i = 0; i < cpus_; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~NoPool() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void run(std::int64_t jobs, std::uint32_t steps) override {
    jobs_ = jobs;
    steps_ = steps;
    begin_.count_down();
    end_.wait();
  }

 private:
  void work(int thread) {
    begin_.wait();
    const std::int64_t share = jobs_ / cpus_ + (thread < jobs_ % cpus_ ? 1 : 0);
    for (std::int64_t i = 0; i < share; ++i) burn(steps_);
    end_.count_down();
  }

  const int cpus_ = count_cpus().cpus;
  std::latch begin_{1};
  std::latch end_{cpus_};
  std::int64_t jobs_ = 0;
  std::uint32_t steps_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Contender> make_no_pool(int /*workers*/) {
  return std::make_unique<NoPool>();
}

}  // namespace optimux::pool::bench
