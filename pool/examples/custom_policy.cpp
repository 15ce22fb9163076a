// A policy of one's own: a pure function of the snapshot. This one keeps one worker for each two jobs that wait or run,
// and can be tried out without any pool or thread.

#include <optimux/pool/pool.hpp>

#include <cstdio>

namespace pool = optimux::pool;

class HalfPolicy final : public pool::Policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "half"; }
  [[nodiscard]] pool::Duration interval() const override { return std::chrono::milliseconds(20); }
  [[nodiscard]] pool::Duration window() const override { return std::chrono::seconds(5); }  // no shrinking sooner
  [[nodiscard]] bool reacts_to_submits() const override { return true; }
  [[nodiscard]] pool::Verdict decide(const pool::Snapshot& snapshot, pool::TimePoint /*now*/) const override {
    const int jobs = static_cast<int>(snapshot.queue_depth) + snapshot.in_flight;
    const int target = (jobs + 1) / 2;
    return {target, pool::Reason::kCustom, target};
  }
};

int main() {
  pool::Snapshot imagined;
  imagined.queue_depth = 9;
  imagined.in_flight = 2;
  if (HalfPolicy().decide(imagined, {}).target != 6) return 1;

  pool::Config config;
  config.max_workers = 8;
  config.policy = std::make_shared<HalfPolicy>();
  auto jobs = *pool::DynamicScaler<int>::make(config, pool::handler_worker<int>([](int&, const pool::JobContext&) {}));
  for (int i = 0; i < 500; ++i) jobs->submit(int{i});
  jobs->drain();
  for (const pool::Decision& decision : jobs->decisions()) std::puts(to_string(decision).c_str());
  return jobs->snapshot().counters.done == 500 ? 0 : 1;
}
