// A pool for work that keeps a CPU busy: it grows with the load, but never beyond the CPUs, where another worker would
// only take memory. Prints what was decided and why.

#include <optimux/pool/pool.hpp>

#include <atomic>
#include <cstdio>
#include <numeric>
#include <vector>

namespace pool = optimux::pool;

struct ImageJob {
  std::vector<int> pixels;
};

int main() {
  pool::Config config;
  config.name = "image";
  config.min_workers = 1;
  config.max_workers = 16;
  config.gate = pool::Gate::cpu(1);  // one busy thread a job

  std::atomic<long> sum{0};
  auto made = pool::DynamicScaler<ImageJob>::make(
      config, pool::handler_worker<ImageJob>([&](ImageJob& job, const pool::JobContext& context) {
        for (int pass = 0; pass < 200 && !context.stop.stop_requested(); ++pass) {
          sum += std::accumulate(job.pixels.begin(), job.pixels.end(), 0L) / 200;
        }
      }));
  if (!made) {
    std::fprintf(stderr, "%s: %s\n", made.error().field.c_str(), made.error().message.c_str());
    return 1;
  }
  auto images = *std::move(made);
  for (int i = 0; i < 200; ++i) images->submit({std::vector<int>(10'000, 1)});
  images->drain();

  for (const pool::Decision& decision : images->decisions()) std::puts(to_string(decision).c_str());
  const pool::Snapshot end = images->snapshot();
  std::printf("%llu jobs, at most %d CPUs, %d workers\n", static_cast<unsigned long long>(end.counters.done), end.cpus,
              end.live);
  return end.counters.done == 200 && end.live <= end.cpus ? 0 : 1;
}
