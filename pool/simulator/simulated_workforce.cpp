#include "simulator/simulated_workforce.hpp"

#include <algorithm>
#include <utility>

namespace optimux::pool::simulator {
namespace {

constexpr Duration kQuantileInterval = std::chrono::seconds(1);

}  // namespace

SimulatedWorkforce::SimulatedWorkforce(const Machine& machine, std::size_t queue_capacity, const Trace& trace,
                                       TimePoint start, Events events)
    : machine_(machine),
      queue_capacity_(queue_capacity),
      trace_(trace),
      start_(start),
      events_(std::move(events)),
      now_(start),
      processor_(machine.cpus, start) {
  records_.reserve(trace.jobs.size());
}

bool SimulatedWorkforce::submit(std::size_t job) {
  const TraceJob& arriving = trace_.jobs[job];
  JobRecord& record = records_.emplace_back();
  record.arrived = arriving.at;
  record.alone = arriving.wait + arriving.cpu;
  record.is_refused = queue_.size() >= queue_capacity_;
  if (record.is_refused) {
    ++totals_.counters.refused_full;
    return false;
  }
  ++totals_.counters.accepted;
  queue_.push_back(job);
  if (parked_.empty()) {
    ++totals_.counters.found_nobody_idle;
    return true;
  }
  const WorkerIndex woken = parked_.back();
  parked_.pop_back();
  ++totals_.counters.wakes_for_jobs;
  look(workers_.find(woken));
  return false;
}

TimePoint SimulatedWorkforce::next_event() const {
  const TimePoint timer = timers_.empty() ? kNever : timers_.top().at;
  return std::min(timer, processor_.next_completion());
}

void SimulatedWorkforce::advance(TimePoint now) {
  now_ = now;
  processor_.advance(now);
  while (const auto done = processor_.take_completed()) finish(workers_.find(*done));
  while (!timers_.empty() && timers_.top().at <= now) {
    const Timer timer = timers_.top();
    timers_.pop();
    const auto at = workers_.find(timer.worker);
    if (timer.kind == Kind::kWaited) {
      compute(timer.worker, *at->second.job);
    } else {
      events_.ready(timer.worker);
      look(at);
    }
  }
}

// A worker has no job: {retire > job}, or it parks.
void SimulatedWorkforce::look(Workers::iterator at) {
  if (at->second.is_retiring) {
    ++totals_.counters.workers_retired;
    return events_.retired(at->first);
  }
  if (!queue_.empty()) {
    const std::size_t job = queue_.front();
    queue_.pop_front();
    return run(at, job);
  }
  at->second.since = now_;
  parked_.push_back(at->first);
}

void SimulatedWorkforce::run(Workers::iterator at, std::size_t job) {
  at->second.job = job;
  at->second.since = now_;
  ++in_flight_;
  ++totals_.counters.started;
  records_[job].started = now_ - start_;
  wait_.add(records_[job].started - records_[job].arrived);
  const Duration wait = trace_.jobs[job].wait;
  if (wait == Duration::zero()) return compute(at->first, job);
  timers_.push({now_ + wait, Kind::kWaited, at->first});
}

void SimulatedWorkforce::compute(WorkerIndex index, std::size_t job) {
  processor_.add(index, trace_.jobs[job].cpu);
}

void SimulatedWorkforce::finish(Workers::iterator at) {
  const std::size_t job = *std::exchange(at->second.job, std::nullopt);
  --in_flight_;
  records_[job].ended = now_ - start_;
  count_end(records_[job], trace_.jobs[job]);
  look(at);
}

void SimulatedWorkforce::count_end(const JobRecord& record, const TraceJob& job) {
  ++totals_.counters.done;
  ++totals_.run_jobs;
  ++totals_.cpu_jobs;
  totals_.run_time += record.ended - record.started;
  totals_.cpu_time += job.cpu;
  service_.add(record.ended - record.started);
}

Load SimulatedWorkforce::load(TimePoint now, Duration overrun_after) const {
  Load load = totals_;
  load.idle = static_cast<int>(parked_.size());
  load.in_flight = in_flight_;
  load.queue_depth = queue_.size();
  load.queue_capacity = queue_capacity_;
  if (!parked_.empty()) load.longest_idle = now - workers_.at(parked_.front()).since;
  Duration ages{};
  for (const auto& [index, worker] : workers_) {
    if (!worker.job) continue;
    ages += now - worker.since;
    if (now - worker.since > overrun_after) ++load.overrunning;
  }
  if (in_flight_ > 0) load.in_flight_age = ages / in_flight_;
  if (now - quantiles_at_ >= kQuantileInterval) {
    quantiles_at_ = now;
    wait_quantiles_ = wait_.quantiles();
    service_quantiles_ = service_.quantiles();
  }
  load.wait = wait_quantiles_;
  load.service = service_quantiles_;
  return load;
}

void SimulatedWorkforce::start(WorkerIndex index) {
  workers_.emplace(index, Worker{});
  ++live_;
  timers_.push({now_ + machine_.start_up, Kind::kReady, index});
}

void SimulatedWorkforce::ask_retire(WorkerIndex index) {
  const auto at = workers_.find(index);
  at->second.is_retiring = true;
  --live_;
  const auto parked = std::find(parked_.begin(), parked_.end(), index);
  if (parked == parked_.end()) return;
  parked_.erase(parked);
  look(at);
}

void SimulatedWorkforce::join(WorkerIndex index) {
  workers_.erase(index);
}

void SimulatedWorkforce::rotate_quantiles() {
  wait_.rotate();
  service_.rotate();
}

}  // namespace optimux::pool::simulator
