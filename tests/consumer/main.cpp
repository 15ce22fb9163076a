// The smallest program that uses the pool: built three times, each time finding the library in another way.

#include <optimux/pool/pool.hpp>

#include <atomic>

int main() {
  std::atomic<int> sum{0};
  auto made = optimux::pool::DynamicScaler<int>::make(
      {}, optimux::pool::handler_worker<int>([&](int& job, const optimux::pool::JobContext&) { sum += job; }));
  if (!made) return 1;
  auto pool = *std::move(made);
  for (int i = 1; i <= 100; ++i) pool->submit(int{i});
  return pool->drain() == 0 && sum == 5050 ? 0 : 2;
}
