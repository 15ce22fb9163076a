// Two thousand workers on one thread: each job waits for an answer from elsewhere, which here takes a while to come
// over a socket. A thread for each would cost two thousand stacks.

#include <optimux/pool/pool.hpp>

#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>

namespace pool = optimux::pool;
using std::chrono::milliseconds;

struct Request {
  int number = 0;
};

/// Two ends of a connection; what is written into one can be read from the other.
struct Connection {
  Connection() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) ends = {-1, -1};
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    for (const int end : ends) ::close(end);
  }
  std::array<int, 2> ends{};
};

/// The service at the other end: answers after 5 ms.
pool::Task<> answer_later(pool::EventLoop& loop, int descriptor) {
  co_await loop.sleep_for(milliseconds(5));
  const char answer = 'y';
  [[maybe_unused]] const ssize_t written = ::write(descriptor, &answer, 1);
}

int main() {
  auto loop = *pool::EventLoop::make();  // before the pool, so that it outlives it

  pool::Config config;
  config.name = "requests";
  config.min_workers = 10;
  config.max_workers = 2'000;
  config.queue_capacity = 10'000;
  // The dependency takes 500 requests at a time: more workers would only wait in its queue instead of in ours.
  config.gate = pool::Gate::slots(500);

  std::atomic<int> answers{0};
  auto made = pool::CoroutineScaler<Request>::make(
      config, pool::coroutine_worker<Request>(
                  *loop, [&](Request& request, const pool::JobContext& context) -> pool::Task<pool::Outcome> {
                    if (request.number % 100 != 0) {  // most just wait; for the others there is a connection
                      const bool slept = co_await loop->sleep_for(milliseconds(5), context.stop);
                      answers += slept ? 1 : 0;
                      co_return slept ? pool::Outcome::kDone : pool::Outcome::kCancelled;
                    }
                    const Connection connection;
                    co_await answer_later(*loop, connection.ends[1]);
                    const pool::TimePoint deadline = loop->clock().now() + std::chrono::seconds(5);
                    const pool::Waited waited = co_await loop->readable(connection.ends[0], deadline, context.stop);
                    if (waited != pool::Waited::kReady) co_return pool::Outcome::kFailed;
                    answers += 1;
                    co_return pool::Outcome::kDone;
                  }));
  if (!made) {
    std::fprintf(stderr, "%s: %s\n", made.error().field.c_str(), made.error().message.c_str());
    return 1;
  }
  auto requests = *std::move(made);
  for (int i = 0; i < 5'000; ++i) requests->submit({i});
  requests->drain();

  const pool::Snapshot end = requests->snapshot();
  std::printf("%d answers, %d workers on %d thread\n", answers.load(), end.live, loop->threads());
  return answers == 5'000 && end.live <= 500 ? 0 : 1;
}
