#include "apps/optimux/pool/shapes/shape.hpp"
#include "optimux/pool/pool.hpp"

namespace optimux::apps {
namespace {

using Pool = pool::DynamicScaler<Request*>;

class Scaler final : public Shape {
 public:
  Scaler(const Stages& stages, ThreadTimes& times) : pool_(make_pool(stages, times)) {}

  void start(Request& request) override {
    if (pool_ != nullptr && pool_->submit(&request) == pool::Answer::kAccepted) return;
    request.fail({base::ErrorCode::kInternal, "the pool took no job", {}});
    request.finish();
  }

 private:
  static std::unique_ptr<Pool> make_pool(const Stages& stages, ThreadTimes& times) {
    pool::Config config;
    config.max_workers = 2 * pool::count_cpus().cpus;
    config.gate = pool::Gate::cpu(1);
    auto pool = Pool::make(std::move(config), [&](pool::WorkerIndex) -> pool::WorkerBody<Request*> {
      return [&](pool::WorkerContext<Request*>& context) { work(context, stages, times); };
    });
    return pool ? *std::move(pool) : nullptr;
  }

  static void work(pool::WorkerContext<Request*>& context, const Stages& stages, ThreadTimes& times) {
    ThreadTime time(times);
    for (;;) {
      const auto start = ThreadTime::Clock::now();
      auto lease = context.take();
      time.blocked_since(start);
      if (!lease) return;
      Request& request = **lease;
      stages.fetch(request);
      if (!request.has_failed()) stages.process(request);
      lease.done();
      request.finish();
    }
  }

  const std::unique_ptr<Pool> pool_;
};

}  // namespace

std::unique_ptr<Shape> make_dynamic_scaler(const Stages& stages, ThreadTimes& times) {
  return std::make_unique<Scaler>(stages, times);
}

}  // namespace optimux::apps
