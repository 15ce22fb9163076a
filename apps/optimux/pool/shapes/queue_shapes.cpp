// The shapes that are made of plain queues.
#include "apps/optimux/pool/shapes/channel.hpp"
#include "apps/optimux/pool/shapes/shape.hpp"

#include <thread>

namespace optimux::apps {
namespace {

constexpr std::size_t kQueue = 1024;

using Queue = Channel<Request*>;

/// `count` threads that call `handle` for each request of `queue`, until it is closed.
class Workers {
 public:
  Workers(int count, Queue& queue, ThreadTimes& times, std::function<void(Request&, ThreadTime&)> handle)
      : queue_(queue), handle_(std::move(handle)) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, &times] { run(times); });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    queue_.close();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void run(ThreadTimes& times) {
    ThreadTime time(times);
    while (const auto request = time.blocked([this] { return queue_.receive(); })) handle_(**request, time);
  }

  Queue& queue_;
  const std::function<void(Request&, ThreadTime&)> handle_;
  std::vector<std::thread> threads_;
};

class Synchronous final : public Shape {
 public:
  explicit Synchronous(const Stages& stages) : stages_(stages) {}
  void start(Request& request) override { stages_.run(request); }

 private:
  const Stages& stages_;
};

class OneQueue final : public Shape {
 public:
  OneQueue(int workers, const Stages& stages, ThreadTimes& times)
      : workers_(workers, queue_, times, [&stages](Request& request, ThreadTime&) { stages.run(request); }) {}
  void start(Request& request) override { queue_.send(&request); }

 private:
  Queue queue_{kQueue};
  Workers workers_;
};

class TwoQueues final : public Shape {
 public:
  TwoQueues(int fetchers, int processors, const Stages& stages, ThreadTimes& times)
      : processors_(processors, fetched_, times, [&stages](Request& request, ThreadTime&) { stages.finish(request); }),
        fetchers_(fetchers, queue_, times, [this, &stages](Request& request, ThreadTime& time) {
          stages.fetch(request);
          time.blocked([&] { return fetched_.send(&request); });
        }) {}
  void start(Request& request) override { queue_.send(&request); }

 private:
  Queue queue_{kQueue};
  Queue fetched_{kQueue};
  Workers processors_;
  Workers fetchers_;  // Goes first: it sends to the others.
};

}  // namespace

std::unique_ptr<Shape> make_synchronous(const Stages& stages, ThreadTimes& /*times*/) {
  return std::make_unique<Synchronous>(stages);
}

template <int kWorkers>
std::unique_ptr<Shape> make_one_queue(const Stages& stages, ThreadTimes& times) {
  return std::make_unique<OneQueue>(kWorkers, stages, times);
}

template <int kFetchers, int kProcessors>
std::unique_ptr<Shape> make_two_queues(const Stages& stages, ThreadTimes& times) {
  return std::make_unique<TwoQueues>(kFetchers, kProcessors, stages, times);
}

const std::vector<ShapeKind>& all_shapes() {
  static const std::vector<ShapeKind> kShapes = {
      {"dispatcher", "dispatcher, channel of channels", false, make_dispatcher},
      {"synchronous", "synchronous, no workers", false, make_synchronous},
      {"one-queue-1", "one queue, 1 worker", false, make_one_queue<1>},
      {"one-queue-4", "one queue, 4 workers", false, make_one_queue<4>},
      {"two-queues-4-4", "two queues, 4 and 4 workers", false, make_two_queues<4, 4>},
      {"two-queues-2-4", "two queues, 2 and 4 workers", false, make_two_queues<2, 4>},
      {"demand", "demand-driven, 4 consumers", false, make_demand_driven},
      {"early-flush", "one queue, 4 workers, early flush", true, make_one_queue<4>},
      {"scaler", "dynamic scaler", false, make_dynamic_scaler},
  };
  return kShapes;
}

}  // namespace optimux::apps
