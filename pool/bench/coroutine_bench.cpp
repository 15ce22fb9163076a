// What coroutine workers are for: jobs that only wait. Reports the throughput of 1 ms sleeps against the ceiling of
// workers / latency, at several sizes, and what a worker costs in memory, idle and with a job. With --json the same as
// one JSON document.
// usage: optimux-pool-coroutine-bench [--json] [--quick]

#include <optimux/pool/pool.hpp>

#include <malloc.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace pool = optimux::pool;
using std::chrono::milliseconds;

struct SleepJob {};
using Scaler = pool::CoroutineScaler<SleepJob>;

constexpr pool::Duration kLatency = milliseconds(1);
constexpr std::size_t kBatch = 256;

pool::Config fixed(int workers) {
  pool::Config config;
  config.min_workers = config.max_workers = workers;
  config.policy = std::make_shared<pool::FixedPolicy>(workers);
  config.queue_capacity = std::max<std::size_t>(4 * static_cast<std::size_t>(workers), 4 * kBatch);
  return config;
}

pool::CoroutineFactory<SleepJob> sleepers(pool::EventLoop& loop) {
  return pool::coroutine_worker<SleepJob>(
      loop, [&loop](SleepJob&, const pool::JobContext&) -> pool::Task<> { co_await loop.sleep_for(kLatency); });
}

void wait_until_idle(const Scaler& scaler, int workers) {
  while (scaler.snapshot().idle < workers) std::this_thread::sleep_for(milliseconds(1));
}

struct Rate {
  double jobs_per_second = 0;
  double share_of_ceiling = 0;
};

// Keeps the queue filled for `length` and counts what ends in it, after a while of warming up.
Rate measure_rate(int workers, int threads, pool::Duration length) {
  auto loop = *pool::EventLoop::make({.threads = threads});
  auto scaler = *Scaler::make(fixed(workers), sleepers(*loop));
  wait_until_idle(*scaler, workers);
  std::vector<SleepJob> batch(kBatch);
  const auto feed_until = [&](pool::TimePoint end) {
    while (pool::Clock::steady()->now() < end) {
      const std::size_t accepted = scaler->submit_batch(batch).accepted;
      if (accepted < kBatch) std::this_thread::sleep_for(kLatency / 4);  // the queue holds four latencies of work
    }
    return scaler->snapshot();
  };
  const pool::Snapshot before = feed_until(pool::Clock::steady()->now() + length / 4);
  const pool::Snapshot after = feed_until(pool::Clock::steady()->now() + length);
  Rate rate;
  rate.jobs_per_second =
      static_cast<double>(after.counters.done - before.counters.done) / pool::to_seconds(after.at - before.at);
  rate.share_of_ceiling = rate.jobs_per_second * pool::to_seconds(kLatency) / workers;
  return rate;
}

struct Bytes {
  double allocated = 0;  // as the allocator counts it, its own overhead included
  double resident = 0;   // as the kernel counts it
};

Bytes memory_now() {
  const struct mallinfo2 info = ::mallinfo2();
  long pages = 0;
  long resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return {static_cast<double>(info.uordblks + info.hblkhd),
          static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE))};
}

Bytes per_worker(const Bytes& before, const Bytes& after, int workers) {
  return {(after.allocated - before.allocated) / workers, (after.resident - before.resident) / workers};
}

struct Cost {
  Bytes idle;
  Bytes busy;
};

// The workers first idle, then each with a job that sleeps until it is told to stop.
Cost measure_memory(int workers) {
  auto loop = *pool::EventLoop::make();
  const Bytes nothing = memory_now();
  auto scaler = *Scaler::make(
      fixed(workers),
      pool::coroutine_worker<SleepJob>(*loop, [&](SleepJob&, const pool::JobContext& context) -> pool::Task<> {
        co_await loop->sleep_for(std::chrono::hours(1), context.stop);
      }));
  wait_until_idle(*scaler, workers);
  const Bytes idle = memory_now();
  for (int i = 0; i < workers; ++i) scaler->submit(SleepJob{});
  while (scaler->snapshot().in_flight < workers) std::this_thread::sleep_for(milliseconds(1));
  const Bytes busy = memory_now();
  return {per_worker(nothing, idle, workers), per_worker(nothing, busy, workers)};
}

struct Row {
  int workers;
  int threads;
  Rate lowest;
  Rate median;
  Rate highest;
};

Row measure_row(int workers, int threads, int rounds, pool::Duration length) {
  std::vector<Rate> rates;
  for (int i = 0; i < rounds; ++i) rates.push_back(measure_rate(workers, threads, length));
  std::sort(rates.begin(), rates.end(),
            [](const Rate& a, const Rate& b) { return a.jobs_per_second < b.jobs_per_second; });
  return {workers, threads, rates.front(), rates[rates.size() / 2], rates.back()};
}

void print_text(const std::vector<Row>& rows, const Cost& cost, int workers) {
  std::puts("1 ms sleeps   workers  threads     jobs/s   of workers/latency (lowest to highest)");
  for (const Row& row : rows) {
    std::printf("              %7d  %7d  %9.0f   %5.1f %% (%.1f to %.1f)\n", row.workers, row.threads,
                row.median.jobs_per_second, row.median.share_of_ceiling * 100, row.lowest.share_of_ceiling * 100,
                row.highest.share_of_ceiling * 100);
  }
  std::printf("memory        %7d workers: %.0f bytes each when idle (resident %.0f), %.0f with a sleeping job (%.0f)\n",
              workers, cost.idle.allocated, cost.idle.resident, cost.busy.allocated, cost.busy.resident);
}

void print_json(const std::vector<Row>& rows, const Cost& cost, int workers) {
  std::printf("{\"sleep_ms\": 1, \"rows\": [");
  for (const Row& row : rows) {
    std::printf(
        "%s{\"workers\": %d, \"threads\": %d, \"jobs_per_second\": %.0f, \"share_of_ceiling\": %.4f, "
        "\"lowest_share\": %.4f, \"highest_share\": %.4f}",
        &row == rows.data() ? "" : ", ", row.workers, row.threads, row.median.jobs_per_second,
        row.median.share_of_ceiling, row.lowest.share_of_ceiling, row.highest.share_of_ceiling);
  }
  std::printf(
      "], \"memory\": {\"workers\": %d, \"idle_bytes\": %.0f, \"idle_resident\": %.0f, \"busy_bytes\": %.0f, "
      "\"busy_resident\": %.0f}}\n",
      workers, cost.idle.allocated, cost.idle.resident, cost.busy.allocated, cost.busy.resident);
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    json |= std::string_view(argv[i]) == "--json";
    quick |= std::string_view(argv[i]) == "--quick";
  }
  constexpr int kMany = 100'000;
  const Cost cost = measure_memory(kMany);  // first, from a heap that nobody has used
  const int rounds = quick ? 1 : 5;
  const pool::Duration length = quick ? milliseconds(200) : milliseconds(1'000);
  std::vector<Row> rows;
  for (const int workers : {1, 100, 500, 2'000, 10'000, kMany}) rows.push_back(measure_row(workers, 1, rounds, length));
  rows.push_back(measure_row(2'000, 2, rounds, length));
  (json ? print_json : print_text)(rows, cost, kMany);
}
