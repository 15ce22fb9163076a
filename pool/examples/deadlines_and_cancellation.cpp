// Jobs that are not worth starting any more: one whose deadline has passed, one whose client has gone. And a refusal
// before the queue is even tried, because the wait to be expected is longer than the client would stay.

#include <optimux/pool/pool.hpp>

#include <chrono>
#include <cstdio>
#include <latch>
#include <string>

namespace pool = optimux::pool;

int main() {
  pool::Config config;
  config.min_workers = 1;
  config.max_workers = 1;
  config.policy = std::make_shared<pool::FixedPolicy>(1);
  std::latch release(1);
  auto jobs = *pool::DynamicScaler<std::string>::make(
      config, pool::handler_worker<std::string>([&](std::string& name, const pool::JobContext& context) {
        std::printf("%s runs after %.1f ms in the queue\n", name.c_str(), pool::to_seconds(context.waited) * 1e3);
        if (name == "first") release.wait();
      }));

  std::latch ended(3);
  int done = 0;
  int cancelled = 0;
  int expired = 0;
  const auto count = [&](int& counter) {
    return [&](const pool::JobEnd& end) {
      std::printf("ended: %s\n", std::string(to_string(end.outcome)).c_str());
      ++counter;
      ended.count_down();
    };
  };
  const auto now = config.clock->now();
  std::stop_source client;
  jobs->submit("first", {.on_end = count(done)});
  jobs->submit("late", {.deadline = now + std::chrono::milliseconds(20), .on_end = count(expired)});
  jobs->submit("abandoned", {.stop = client.get_token(), .on_end = count(cancelled)});

  client.request_stop();  // the client hangs up: its job leaves the queue at once
  const pool::Duration wait = expected_wait(jobs->snapshot());
  std::printf("a new job would wait about %.1f ms\n", pool::to_seconds(wait) * 1e3);
  jobs->drain(now + std::chrono::milliseconds(50));  // by then the deadline of "late" has passed
  release.count_down();
  ended.wait();
  return done == 1 && cancelled == 1 && expired == 1 ? 0 : 1;
}
