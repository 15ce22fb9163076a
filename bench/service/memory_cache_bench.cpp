// What it costs to find and to keep a rendition in memory; keys are as long as those of the service.
#include "service/memory_cache.hpp"

#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace optimux::service {
namespace {

constexpr std::size_t kRenditionBytes = 8192;

std::string key_of(std::int64_t number) {
  return "file:photos/2026/11/photo-" + std::to_string(number) + ".jpg|300x0|webp|q60";
}

std::shared_ptr<Rendition> finished_rendition(std::int64_t number) {
  auto rendition = std::make_shared<Rendition>(key_of(number));
  rendition->body()->start(base::BodyHead{.content_type = "image/webp", .width = 300, .height = 200});
  rendition->body()->append(std::vector<std::byte>(kRenditionBytes, std::byte{7}));
  rendition->body()->complete();
  return rendition;
}

void fill(MemoryCache& cache, std::int64_t entries) {
  for (std::int64_t i = 0; i < entries; ++i) cache.insert(finished_rendition(i));
}

void memory_cache_find(benchmark::State& state) {
  MemoryCache cache(std::uint64_t{1} << 30);
  fill(cache, state.range(0));
  std::vector<std::string> keys;
  for (std::int64_t i = 0; i < 64; ++i) keys.push_back(key_of(i * 7919 % state.range(0)));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cache.find(keys[next++ % keys.size()]));
}
BENCHMARK(memory_cache_find)->Arg(100)->Arg(10'000);

// The contention of several threads that look up at one time.
void memory_cache_find_by_threads(benchmark::State& state) {
  static MemoryCache cache(std::uint64_t{1} << 26);
  if (state.thread_index() == 0) fill(cache, 1'000);
  const std::string key = key_of(state.thread_index());
  for (auto _ : state) benchmark::DoNotOptimize(cache.find(key));
}
BENCHMARK(memory_cache_find_by_threads)->ThreadRange(1, 4)->UseRealTime();

void memory_cache_insert_and_evict(benchmark::State& state) {
  MemoryCache cache(16 << 20);
  fill(cache, 4'000);
  std::vector<std::shared_ptr<Rendition>> renditions;
  for (std::int64_t i = 0; i < 4'096; ++i) renditions.push_back(finished_rendition(10'000 + i));
  std::size_t next = 0;
  for (auto _ : state) cache.insert(renditions[next++ % renditions.size()]);
  state.counters["evictions"] = static_cast<double>(cache.figures().evictions);
}
BENCHMARK(memory_cache_insert_and_evict);

}  // namespace
}  // namespace optimux::service
