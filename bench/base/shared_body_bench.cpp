// What it costs to hand encoded bytes over: pieces of the size that encoders write, read by one reader as they come.
#include "base/shared_body.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

namespace optimux::base {
namespace {

constexpr std::int64_t kBodyBytes = 1 << 20;

std::shared_ptr<SharedBody> started_body() {
  auto body = std::make_shared<SharedBody>();
  body->start(BodyHead{.content_type = "image/webp", .width = 300, .height = 200});
  return body;
}

void append(SharedBody& body, std::span<const std::byte> piece) {
  for (std::int64_t sent = 0; sent < kBodyBytes; sent += static_cast<std::int64_t>(piece.size())) body.append(piece);
  body.complete();
}

std::uint64_t drain(SharedBody::Reader& reader) {
  std::uint64_t sum = 0;
  for (auto piece = reader.peek(); !piece.empty(); piece = reader.peek()) {
    sum += static_cast<std::uint64_t>(piece.front());
    reader.consume(piece.size());
  }
  return sum;
}

void shared_body_append(benchmark::State& state) {
  const std::vector<std::byte> piece(static_cast<std::size_t>(state.range(0)), std::byte{7});
  for (auto _ : state) {
    const auto body = started_body();
    append(*body, piece);
    benchmark::DoNotOptimize(body->size());
  }
  state.SetBytesProcessed(state.iterations() * kBodyBytes);
}
BENCHMARK(shared_body_append)->Arg(512)->Arg(4096)->Arg(65536);

void shared_body_read_by_readers(benchmark::State& state) {
  const auto body = started_body();
  append(*body, std::vector<std::byte>(4096, std::byte{7}));
  for (auto _ : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      SharedBody::Reader reader = body->attach();
      benchmark::DoNotOptimize(drain(reader));
    }
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * kBodyBytes);
}
BENCHMARK(shared_body_read_by_readers)->Arg(1)->Arg(64);

void shared_body_of_a_thumbnail(benchmark::State& state) {
  const std::vector<std::byte> piece(8192, std::byte{7});
  for (auto _ : state) {
    const auto body = started_body();
    SharedBody::Reader reader = body->attach();
    bool woken = false;
    reader.acknowledge_head();
    benchmark::DoNotOptimize(reader.wait([&woken] { woken = true; }));
    body->append(piece);
    body->complete();
    benchmark::DoNotOptimize(drain(reader));
    benchmark::DoNotOptimize(woken);
  }
}
BENCHMARK(shared_body_of_a_thumbnail);

}  // namespace
}  // namespace optimux::base
