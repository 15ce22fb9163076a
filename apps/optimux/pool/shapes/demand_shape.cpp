// Demand goes up, jobs come down: the shape of Elixir's GenStage with its DemandDispatcher.
#include "apps/optimux/pool/shapes/channel.hpp"
#include "apps/optimux/pool/shapes/shape.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace optimux::apps {
namespace {

constexpr int kConsumers = 4;
constexpr int kDemand = 2;
constexpr std::size_t kQueue = 1024;

class DemandDriven final : public Shape {
 public:
  DemandDriven(const Stages& stages, ThreadTimes& times) : stages_(stages) {
    for (int i = 0; i < kConsumers; ++i) threads_.emplace_back([this, i, &times] { consume(i, times); });
    threads_.emplace_back([this, &times] { produce(times); });
  }
  DemandDriven(const DemandDriven&) = delete;
  DemandDriven& operator=(const DemandDriven&) = delete;
  ~DemandDriven() override {
    jobs_.close();
    demands_.close();
    for (std::thread& thread : threads_) thread.join();
  }

  void start(Request& request) override { jobs_.send(&request); }

 private:
  void produce(ThreadTimes& times) {
    ThreadTime time(times);
    std::array<int, kConsumers> wanted{};
    while (hear_demands(wanted, time)) {
      const auto job = time.blocked([this] { return jobs_.receive(); });
      if (!job) break;
      hear_more(wanted);
      const auto neediest = std::max_element(wanted.begin(), wanted.end());
      --*neediest;
      inbox(static_cast<int>(neediest - wanted.begin())).send(*job);
    }
    for (int i = 0; i < kConsumers; ++i) inbox(i).close();
  }

  // Waits for a demand when there is none. False at the end.
  bool hear_demands(std::array<int, kConsumers>& wanted, ThreadTime& time) {
    hear_more(wanted);
    if (std::any_of(wanted.begin(), wanted.end(), [](int count) { return count > 0; })) return true;
    const auto consumer = time.blocked([this] { return demands_.receive(); });
    if (consumer) wanted[static_cast<std::size_t>(*consumer)] += kDemand;
    return consumer.has_value();
  }

  void hear_more(std::array<int, kConsumers>& wanted) {
    while (const auto consumer = demands_.try_receive()) wanted[static_cast<std::size_t>(*consumer)] += kDemand;
  }

  void consume(int consumer, ThreadTimes& times) {
    ThreadTime time(times);
    while (time.blocked([&] { return demands_.send(consumer); })) {
      for (int i = 0; i < kDemand; ++i) {
        const auto job = time.blocked([&] { return inbox(consumer).receive(); });
        if (!job) return;
        stages_.run(**job);
      }
    }
  }

  Channel<Request*>& inbox(int consumer) { return inboxes_[static_cast<std::size_t>(consumer)]; }

  const Stages& stages_;
  Channel<Request*> jobs_{kQueue};
  Channel<int> demands_{kConsumers};
  std::array<Channel<Request*>, kConsumers> inboxes_{Channel<Request*>(kDemand), Channel<Request*>(kDemand),
                                                     Channel<Request*>(kDemand), Channel<Request*>(kDemand)};
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Shape> make_demand_driven(const Stages& stages, ThreadTimes& times) {
  return std::make_unique<DemandDriven>(stages, times);
}

}  // namespace optimux::apps
