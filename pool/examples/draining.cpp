// How a service goes down without losing a job: drain with a deadline, then stop what is left.

#include <optimux/pool/pool.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>

namespace pool = optimux::pool;

int main() {
  std::array<std::atomic<int>, 4> ends{};
  pool::Config config;
  config.min_workers = 2;
  config.max_workers = 2;
  config.policy = std::make_shared<pool::FixedPolicy>(2);
  auto jobs = *pool::DynamicScaler<int>::make(
      config, pool::handler_worker<int>([](int& turns, const pool::JobContext& context) {
        for (std::atomic<int> turn{0}; turn < turns && !context.stop.stop_requested(); ++turn) {
        }
      }));

  int accepted = 0;
  const auto submit = [&](int turns) {
    const pool::Answer answer = jobs->try_submit(
        std::move(turns), {.on_end = [&](const pool::JobEnd& end) { ++ends[static_cast<std::size_t>(end.outcome)]; }});
    accepted += answer == pool::Answer::kAccepted ? 1 : 0;
  };
  for (int i = 0; i < 100; ++i) submit(1000);
  for (int i = 0; i < 3; ++i) submit(2'000'000'000);  // these take too long

  const std::size_t left = jobs->drain(config.clock->now() + std::chrono::milliseconds(200));
  std::printf("after the deadline %zu jobs are left\n", left);
  jobs->stop();  // queued ones end as cancelled, running ones are asked to stop
  jobs->drain();
  std::printf("%d done, %d cancelled of %d\n", ends[0].load(), ends[2].load(), accepted);
  return ends[0] + ends[1] + ends[2] + ends[3] == accepted ? 0 : 1;
}
