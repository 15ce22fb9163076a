#include "apps/optimux/pool/sweep/sweep.hpp"

#include "advisor/job_class.hpp"
#include "advisor/statistics.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::apps {
namespace {

namespace advisor = pool::advisor;
using base::fail;

constexpr double kShortJob = 0.5e-3;
constexpr double kBatchSeconds = 1e-3;
constexpr int kLargestBatch = 1024;
// Nothing that a pool hands over is done faster; keeps a job of no length from asking for endless many.
constexpr double kHighestRate = 5e6;

constexpr int kLargestSize = 20'000;

auto refuse(std::string detail) {
  return fail(base::ErrorCode::kInvalidParameter, std::move(detail));
}

bool is_size(int workers) {
  return workers >= 1 && workers <= kLargestSize;
}

std::vector<int> sorted(std::vector<int> sizes) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

base::Status check(const SweepPlan& plan) {
  if (plan.rounds < 3 || plan.rounds > 1000) return refuse("--rounds must be from 3 to 1000");
  if (!(plan.seconds >= 0.001 && plan.seconds <= 60)) return refuse("--time must be from 1ms to 60s");
  if (!std::all_of(plan.sizes.begin(), plan.sizes.end(), is_size)) return refuse("--sizes must be from 1 to 20000");
  if (!plan.sizes.empty() && sorted(plan.sizes).size() < 3) return refuse("--sizes must be at least three different");
  return {};
}

/// A sweep on its way.
class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepBench& bench, const SweepProgress& progress)
      : plan_(plan), bench_(bench), progress_(progress) {}

  base::Result<SweepResult> run() {
    const AloneResult first = bench_.run_alone();
    if (first.error) return fail(*first.error);
    plan_points({first.wall, first.cpu});
    for (int round = 1; round <= plan_.rounds; ++round) {
      if (const base::Status status = run_round(round); !status) return fail(status.error());
    }
    return finish();
  }

 private:
  void plan_points(const advisor::JobProfile& first) {
    std::vector<int> sizes = sorted(plan_.sizes.empty() ? default_sizes(first, plan_.cpus) : plan_.sizes);
    const bool is_short = first.wall < kShortJob;
    if (is_short) {
      sizes.push_back(plan_.cpus);  // Where the batches are measured.
      const int batch = static_cast<int>(std::clamp(std::ceil(kBatchSeconds / first.wall), 2.0, 1.0 * kLargestBatch));
      measured().batched = advisor::BatchProbe{.workers = plan_.cpus, .batch = batch, .rates = {}};
    }
    for (const int size : sorted(std::move(sizes))) measured().curve.push_back({.workers = size});
    measured().cpus = plan_.cpus;
    measured().job = first;
    busy_.resize(measured().curve.size());
  }

  base::Status run_round(int round) {
    const AloneResult alone = bench_.run_alone();
    walls_.push_back(alone.wall);
    cpus_.push_back(alone.cpu);
    const std::size_t count = measured().curve.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = round % 2 == 1 ? i : count - 1 - i;
      if (auto status = run_point(round, at); !status) return status;
    }
    return run_batches(round);
  }

  base::Status run_point(int round, std::size_t at) {
    advisor::CurvePoint& point = measured().curve[at];
    const auto result = try_out(round, point.workers, 1);
    if (!result) return fail(result.error());
    point.rates.push_back(result->rate);
    busy_[at].push_back(result->cpu_busy);
    return {};
  }

  base::Status run_batches(int round) {
    if (!measured().batched) return {};
    advisor::BatchProbe& probe = *measured().batched;
    const auto result = try_out(round, probe.workers, probe.batch);
    if (!result) return fail(result.error());
    probe.rates.push_back(result->rate);
    return {};
  }

  base::Result<TrialResult> try_out(int round, int workers, int batch) {
    progress_(round, workers);
    const double roof = std::min(kHighestRate, advisor::roof_of(measured().job, workers, plan_.cpus));
    const auto jobs = static_cast<std::uint64_t>(std::ceil(plan_.seconds * roof));
    auto result = bench_.run_trial({.workers = workers, .batch = batch, .jobs = jobs, .limit = 10 * plan_.seconds});
    if (!result) return result;
    result_.failed_jobs += result->failed;
    if (!result_.first_error) result_.first_error = result->first_error;
    return result;
  }

  SweepResult finish() {
    measured().job = {advisor::median(walls_), advisor::median(cpus_)};
    for (std::size_t i = 0; i < busy_.size(); ++i) measured().curve[i].cpu_busy = advisor::median(busy_[i]);
    return std::move(result_);
  }

  advisor::Measurements& measured() { return result_.measurements; }

  const SweepPlan& plan_;
  const SweepBench& bench_;
  const SweepProgress& progress_;
  SweepResult result_;
  std::vector<double> walls_;              // One figure per round.
  std::vector<double> cpus_;               // One figure per round.
  std::vector<std::vector<double>> busy_;  // For each size, one figure per round.
};

}  // namespace

std::vector<int> default_sizes(const advisor::JobProfile& job, int cpus) {
  if (advisor::classify(job) != advisor::JobClass::kCpu) return {1, 2, 5, 10, 20, 50, 100};
  return sorted({1, 2, 5, 10, 20, 100, std::max(1, cpus / 2), cpus, 2 * cpus, 4 * cpus});
}

base::Result<std::vector<int>> parse_sizes(std::string_view text) {
  std::vector<int> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const auto size = base::parse_number<int>(part);
    if (!size || !is_size(*size)) {
      return refuse("--sizes: '" + std::string(part) + "' is no pool size (whole numbers from 1 to " +
                    std::to_string(kLargestSize) + ", as in 1,2,5)");
    }
    sizes.push_back(*size);
    begin = end + 1;
  }
  return sizes;
}

base::Result<SweepResult> run_sweep(const SweepPlan& plan, const SweepBench& bench, const SweepProgress& progress) {
  if (const base::Status status = check(plan); !status) return fail(status.error());
  return Sweep(plan, bench, progress).run();
}

}  // namespace optimux::apps
