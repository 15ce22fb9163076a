// Each worker owns something that is expensive to make and must not be shared: here a buffer. It is made on the
// worker's own thread before its first job and destroyed there when the worker leaves.

#include <optimux/pool/pool.hpp>

#include <atomic>
#include <cstdio>
#include <string>

namespace pool = optimux::pool;

struct Scratch {
  pool::WorkerIndex owner;
  std::string buffer;
};

int main() {
  std::atomic<int> made_buffers{0};
  std::atomic<std::size_t> letters{0};
  auto factory = pool::stateful_worker<std::string>(
      [&](pool::WorkerIndex worker) {
        ++made_buffers;
        return Scratch{worker, std::string(1 << 20, '\0')};
      },
      [&](std::string& word, const pool::JobContext& /*context*/, Scratch& scratch) {
        scratch.buffer = word + word;
        letters += scratch.buffer.size();
      });

  pool::Config config;
  config.min_workers = 2;
  config.max_workers = 2;
  config.policy = std::make_shared<pool::FixedPolicy>(2);
  // Lower the priority of the workers, name their threads, … here, on each thread, before anything else.
  config.on_thread_start = [](pool::WorkerIndex worker) {
    std::printf("worker %d starts\n", static_cast<int>(worker));
  };

  auto words = *pool::DynamicScaler<std::string>::make(config, factory);
  for (int i = 0; i < 1000; ++i) words->submit("word");
  words->drain();
  std::printf("%zu letters with %d buffers\n", letters.load(), made_buffers.load());
  return letters == 8000 && made_buffers <= 2 ? 0 : 1;
}
