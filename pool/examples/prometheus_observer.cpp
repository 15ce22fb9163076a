// What a pool can tell a monitoring system, as the text that Prometheus reads. Gauges and counters come from the
// snapshot, at the moment of the scrape; what only happens now and then comes from the observer.
// The format: https://prometheus.io/docs/instrumenting/exposition_formats/

#include <optimux/pool/pool.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <string>

namespace pool = optimux::pool;

/// Counts what a snapshot does not show: why the pool changed its size.
class DecisionCounter final : public pool::Observer {
 public:
  void on_decision(const pool::Decision& decision) override {
    if (decision.target > decision.input.live) ++grown_;
    if (decision.target < decision.input.live) ++shrunk_;
  }
  [[nodiscard]] long grown() const { return grown_; }
  [[nodiscard]] long shrunk() const { return shrunk_; }

 private:
  std::atomic<long> grown_{0};
  std::atomic<long> shrunk_{0};
};

/// Writes metrics of one pool.
class Exposition {
 public:
  explicit Exposition(std::string pool) : pool_(std::move(pool)) {}

  /// Begins a metric: `type` is "gauge", "counter" or "summary".
  void metric(const std::string& name, const char* type, const char* help) {
    name_ = "worker_pool_" + name;
    text_ += "# HELP " + name_ + ' ' + help + "\n# TYPE " + name_ + ' ' + type + '\n';
  }
  /// One value of it; `label` is empty or `key="value"`.
  void value(double value, const std::string& label = "") {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%.9g", value);
    text_ += name_ + "{pool=\"" + pool_ + '"' + (label.empty() ? "" : ',' + label) + "} " + number.data() + '\n';
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const std::string pool_;
  std::string name_;
  std::string text_;
};

void write_workers(Exposition& to, const pool::Snapshot& now, const DecisionCounter& decisions) {
  to.metric("workers", "gauge", "Workers by what they do.");
  to.value(now.idle, "state=\"idle\"");
  to.value(now.in_flight, "state=\"busy\"");
  to.value(now.retiring, "state=\"retiring\"");
  to.metric("queue_jobs", "gauge", "Jobs that wait.");
  to.value(static_cast<double>(now.queue_depth));
  to.metric("size_changes_total", "counter", "Decisions that changed the number of workers.");
  to.value(static_cast<double>(decisions.grown()), "direction=\"up\"");
  to.value(static_cast<double>(decisions.shrunk()), "direction=\"down\"");
}

void write_jobs(Exposition& to, const pool::Snapshot& now) {
  to.metric("jobs_total", "counter", "Jobs by how they ended.");
  to.value(static_cast<double>(now.counters.done), "outcome=\"done\"");
  to.value(static_cast<double>(now.counters.failed), "outcome=\"failed\"");
  to.value(static_cast<double>(now.counters.cancelled), "outcome=\"cancelled\"");
  to.value(static_cast<double>(now.counters.expired), "outcome=\"expired\"");
  to.metric("job_wait_seconds", "summary", "Time between acceptance and start.");
  to.value(pool::to_seconds(now.wait.p50), "quantile=\"0.5\"");
  to.value(pool::to_seconds(now.wait.p99), "quantile=\"0.99\"");
}

int main() {
  const auto decisions = std::make_shared<DecisionCounter>();
  pool::Config config;
  config.name = "reports";
  config.max_workers = 4;
  config.policy = std::make_shared<pool::SpawnOnSubmitPolicy>();
  config.observer = decisions;
  auto reports =
      *pool::DynamicScaler<int>::make(config, pool::handler_worker<int>([](int& job, const pool::JobContext&) {
                                        if (job % 10 == 0) throw std::runtime_error("no data");
                                      }));
  for (int i = 0; i < 100; ++i) reports->submit(int{i});
  reports->drain();

  Exposition exposition(reports->name());
  const pool::Snapshot now = reports->snapshot();
  write_workers(exposition, now, *decisions);
  write_jobs(exposition, now);
  std::fputs(exposition.text().c_str(), stdout);
  return exposition.text().find("worker_pool_jobs_total{pool=\"reports\",outcome=\"done\"} 90\n") !=
                     std::string::npos &&
                 exposition.text().find("outcome=\"failed\"} 10\n") != std::string::npos
             ? 0
             : 1;
}
