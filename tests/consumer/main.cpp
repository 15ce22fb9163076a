// The smallest program that uses the pool: built three times, each time finding the library in another way. Once with
// threads, once with coroutines.

#include <optimux/pool/pool.hpp>

#include <atomic>
#include <chrono>

namespace pool = optimux::pool;

template <class Pool>
bool adds_up(pool::Made<std::unique_ptr<Pool>> made, const std::atomic<int>& sum) {
  if (!made) return false;
  auto workers = *std::move(made);
  for (int i = 1; i <= 100; ++i) workers->submit(int{i});
  return workers->drain() == 0 && sum == 5050;
}

int main() {
  std::atomic<int> sum{0};
  if (!adds_up(pool::DynamicScaler<int>::make(
                   {}, pool::handler_worker<int>([&](int& job, const pool::JobContext&) { sum += job; })),
               sum)) {
    return 1;
  }
  sum = 0;
  auto loop = *pool::EventLoop::make();
  const auto handler = [&](int& job, const pool::JobContext& context) -> pool::Task<> {
    co_await loop->sleep_for(std::chrono::microseconds(1), context.stop);
    sum += job;
  };
  return adds_up(pool::CoroutineScaler<int>::make({}, pool::coroutine_worker<int>(*loop, handler)), sum) ? 0 : 2;
}
