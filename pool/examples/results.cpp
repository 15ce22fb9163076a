// A submitter that wants an answer puts a promise into the job and keeps its future. A job that never runs, because it
// was refused or cancelled, has expired, or the pool has stopped, is destroyed, and its future then throws
// broken_promise.

#include <optimux/pool/pool.hpp>

#include <cstdio>
#include <future>
#include <stdexcept>
#include <utility>

namespace pool = optimux::pool;

struct Square {
  int number = 0;
  std::promise<int> answer;
};

void answer(Square& job, const pool::JobContext& /*context*/) {
  try {
    if (job.number > 46'340) throw std::overflow_error("too large");
    job.answer.set_value(job.number * job.number);
  } catch (...) {
    job.answer.set_exception(std::current_exception());
  }
}

int main() {
  pool::Config config;
  config.max_workers = 4;
  auto squares = *pool::DynamicScaler<Square>::make(config, pool::handler_worker<Square>(answer));
  const auto ask = [&squares](int number) {
    Square job{number, {}};
    auto result = job.answer.get_future();
    squares->submit(std::move(job));
    return result;
  };

  const int seven = ask(7).get();
  std::printf("7 x 7 = %d\n", seven);

  bool has_failed = false;
  try {
    ask(50'000).get();
  } catch (const std::overflow_error& error) {
    has_failed = true;
    std::printf("50000 x 50000: %s\n", error.what());
  }

  squares->stop();
  bool was_refused = false;
  try {
    ask(8).get();
  } catch (const std::future_error& error) {
    was_refused = error.code() == std::future_errc::broken_promise;
    std::printf("8 x 8: never run\n");
  }
  return seven == 49 && has_failed && was_refused ? 0 : 1;
}
