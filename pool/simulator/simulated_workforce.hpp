/// \file
/// Workers that exist on paper only.
#pragma once

#include "optimux/pool/histogram.hpp"
#include "optimux/pool/supervisor.hpp"
#include "simulator/recording.hpp"
#include "simulator/shared_processor.hpp"
#include "simulator/trace.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace optimux::pool::simulator {

/// The machine that the workers share.
struct Machine {
  int cpus = 8;         ///< At least 1.
  Duration start_up{};  ///< From a worker's creation to its first look for a job; 0 or more. Takes no CPU time.
};

/// The job side of a pool in virtual time: queue, parked workers and jobs being run, by the rules of `HandOff` (one
/// queue, the latest parked worker first, retirement at the idle moment), with hand-offs that take no time. Time moves
/// by `advance` alone. Not thread-safe.
class SimulatedWorkforce final : public Workforce {
 public:
  /// Told when a worker first looks for a job, and when one has left.
  struct Events {
    std::function<void(WorkerIndex)> ready;
    std::function<void(WorkerIndex)> retired;
  };

  /// `trace` must outlive the workforce; its beginning is at `start`.
  SimulatedWorkforce(const Machine& machine, std::size_t queue_capacity, const Trace& trace, TimePoint start,
                     Events events);

  /// Job `job` of the trace arrives. Returns true if it was accepted and found nobody idle.
  bool submit(std::size_t job);
  /// When something happens next; `kNever` if nothing does unless a job or a decision comes.
  [[nodiscard]] TimePoint next_event() const;
  /// Moves time to `now`, not beyond `next_event`, and lets happen what is due then.
  void advance(TimePoint now);
  /// No job waits or is being run.
  [[nodiscard]] bool quiet() const { return queue_.empty() && in_flight_ == 0; }

  /// Slots in use.
  [[nodiscard]] int total() const { return static_cast<int>(workers_.size()); }
  /// Workers not asked to leave.
  [[nodiscard]] int live() const { return live_; }
  [[nodiscard]] int in_flight() const { return in_flight_; }
  [[nodiscard]] std::size_t queue_depth() const { return queue_.size(); }
  /// What became of the jobs; complete once all have arrived and it is quiet.
  [[nodiscard]] const std::vector<JobRecord>& records() const { return records_; }

  /// The quantiles in it are up to a second old: to make them takes longer than all the rest of a round.
  [[nodiscard]] Load load(TimePoint now, Duration overrun_after) const override;
  void start(WorkerIndex index) override;
  void ask_retire(WorkerIndex index) override;
  /// Simulated jobs do not listen to their stop tokens.
  void nudge(WorkerIndex /*index*/) override {}
  void join(WorkerIndex index) override;
  void rotate_quantiles() override;

 private:
  struct Worker {
    bool is_retiring = false;
    std::optional<std::size_t> job;
    TimePoint since{};  // of the job, or of being parked
  };
  using Workers = std::map<WorkerIndex, Worker>;
  enum class Kind : std::uint8_t { kReady, kWaited };
  struct Timer {
    TimePoint at;
    Kind kind;
    WorkerIndex worker;
    bool operator>(const Timer& other) const {
      return std::tie(at, kind, worker) > std::tie(other.at, other.kind, other.worker);
    }
  };

  void look(Workers::iterator at);
  void run(Workers::iterator at, std::size_t job);
  void finish(Workers::iterator at);
  void compute(WorkerIndex index, std::size_t job);
  void count_end(const JobRecord& record, const TraceJob& job);

  const Machine machine_;
  const std::size_t queue_capacity_;
  const Trace& trace_;
  const TimePoint start_;
  const Events events_;
  TimePoint now_;
  Workers workers_;
  int live_ = 0;
  int in_flight_ = 0;
  std::vector<WorkerIndex> parked_;  // the latest at the end
  std::deque<std::size_t> queue_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  SharedProcessor processor_;
  std::vector<JobRecord> records_;
  Load totals_;  // only its running totals and counters are kept here
  RecentHistogram wait_;
  RecentHistogram service_;
  mutable TimePoint quantiles_at_{};
  mutable Quantiles wait_quantiles_;
  mutable Quantiles service_quantiles_;
};

}  // namespace optimux::pool::simulator
