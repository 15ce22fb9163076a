// The shape of "Handling 1 Million Requests per Minute with Golang" (M. Castilho, 2015), on threads.
#include "apps/optimux/pool/shapes/channel.hpp"
#include "apps/optimux/pool/shapes/shape.hpp"

#include <thread>

namespace optimux::apps {
namespace {

constexpr int kWorkers = 4;
constexpr std::size_t kQueue = 1024;

class Dispatcher final : public Shape {
 public:
  Dispatcher(const Stages& stages, ThreadTimes& times) : stages_(stages) {
    for (int i = 0; i < kWorkers; ++i) workers_.emplace_back([this, &times] { work(times); });
    dispatcher_ = std::thread([this, &times] { dispatch(times); });
  }
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;
  ~Dispatcher() override {
    jobs_.close();
    dispatcher_.join();
    for (std::thread& worker : workers_) worker.join();
  }

  void start(Request& request) override { jobs_.send(&request); }

 private:
  using Jobs = Channel<Request*>;

  void dispatch(ThreadTimes& times) {
    ThreadTime time(times);
    while (const auto job = time.blocked([this] { return jobs_.receive(); })) {
      const auto worker = time.blocked([this] { return free_workers_.receive(); });
      time.blocked([&] { return (*worker)->send(*job); });
    }
    dismiss();
  }

  // No job is under way any more, so each worker says once more that it is free.
  void dismiss() {
    for (int i = 0; i < kWorkers; ++i) {
      if (const auto worker = free_workers_.receive()) (*worker)->close();
    }
  }

  void work(ThreadTimes& times) {
    Jobs own(1);
    ThreadTime time(times);
    for (;;) {
      time.blocked([&] { return free_workers_.send(&own); });
      const auto job = time.blocked([&] { return own.receive(); });
      if (!job) return;
      stages_.run(**job);
    }
  }

  const Stages& stages_;
  Jobs jobs_{kQueue};
  Channel<Jobs*> free_workers_{kWorkers};
  std::vector<std::thread> workers_;
  std::thread dispatcher_;
};

}  // namespace

std::unique_ptr<Shape> make_dispatcher(const Stages& stages, ThreadTimes& times) {
  return std::make_unique<Dispatcher>(stages, times);
}

}  // namespace optimux::apps
