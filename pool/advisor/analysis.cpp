#include "advisor/analysis.hpp"

#include "advisor/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool::advisor {
namespace {

// From here on the hand-off is called the bottleneck: more than the noise of a quiet machine, and worth a change.
constexpr double kNotableShare = 0.05;
constexpr double kAcceptableShare = 0.02;
constexpr int kLargestBatch = 4096;
// Above this the CPUs count as used up; the rest goes to the system and to waking up.
constexpr double kBusy = 0.85;

const CurvePoint* find_point(const Curve& curve, int workers) {
  const auto found =
      std::find_if(curve.begin(), curve.end(), [&](const auto& point) { return point.workers == workers; });
  return found == curve.end() ? nullptr : &*found;
}

// k jobs share one hand-off: h / (h + k w) is to be at most the acceptable share, and k a power of two.
int advised_batch(double hand_off, double work) {
  const double wanted = hand_off / work * (1 - kAcceptableShare) / kAcceptableShare;
  int batch = 2;
  while (batch < wanted && batch < kLargestBatch) batch *= 2;
  return batch;
}

std::optional<HandOffCost> hand_off_of(const Measurements& measurements) {
  if (!measurements.batched) return std::nullopt;
  const BatchProbe& probe = *measurements.batched;
  const CurvePoint* const single = find_point(measurements.curve, probe.workers);
  if (single == nullptr) return std::nullopt;
  HandOffCost hand_off;
  hand_off.measured_batch = probe.batch;
  hand_off.gain = median(probe.rates) / rate_of(*single);
  hand_off.share = std::max(0.0, 1 - 1 / hand_off.gain);
  const double per_job = std::min(probe.workers, measurements.cpus) / rate_of(*single);
  hand_off.seconds = hand_off.share * per_job;
  if (hand_off.share > kNotableShare) {
    hand_off.advised_batch = advised_batch(hand_off.seconds, per_job - hand_off.seconds);
  }
  return hand_off;
}

bool is_hand_off_bound(const Analysis& analysis) {
  if (!analysis.hand_off) return false;
  return analysis.hand_off->share > std::max(kNotableShare, analysis.plateau.noise);
}

// What others use of the CPUs is not in `cpu_busy`; throughput close to what the CPUs allow says it as well.
bool uses_up_cpus(const Analysis& analysis, const CurvePoint& point, const Measurements& measurements) {
  if (analysis.job_class == JobClass::kCpu || point.cpu_busy >= kBusy) return true;
  const bool is_roof_of_cpus = point.workers * measurements.job.cpu >= measurements.cpus * measurements.job.wall;
  return is_roof_of_cpus && analysis.efficiency >= kBusy;
}

Bottleneck bottleneck_of(const Analysis& analysis, const CurvePoint& point, const Measurements& measurements) {
  if (is_hand_off_bound(analysis)) return Bottleneck::kHandOff;
  if (analysis.plateau.verdict == Verdict::kTooNoisy) return Bottleneck::kUnknown;
  if (analysis.plateau.verdict == Verdict::kStillRising) return Bottleneck::kNone;
  return uses_up_cpus(analysis, point, measurements) ? Bottleneck::kCpu : Bottleneck::kDependency;
}

int advised_workers(const Analysis& analysis, int cpus) {
  const bool computes = analysis.job_class == JobClass::kCpu;
  if (analysis.bottleneck == Bottleneck::kHandOff && computes) return cpus;
  return analysis.plateau.workers;
}

// Computing jobs that are bound by the hand-off want a worker a CPU, however noisy the sizes beyond are.
bool is_answered(const Analysis& analysis) {
  if (analysis.plateau.verdict == Verdict::kPlateau) return true;
  return analysis.bottleneck == Bottleneck::kHandOff && analysis.job_class == JobClass::kCpu;
}

bool agree(const Analysis& analysis) {
  if (!analysis.knee) return analysis.plateau.verdict == Verdict::kStillRising;
  const double ratio = static_cast<double>(analysis.knee->workers) / analysis.plateau.workers;
  return analysis.plateau.verdict == Verdict::kPlateau && ratio >= 0.5 && ratio <= 2;
}

}  // namespace

std::string_view to_string(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::kNone: return "none";
    case Bottleneck::kUnknown: return "unknown";
    case Bottleneck::kHandOff: return "hand-off";
    case Bottleneck::kCpu: return "CPU";
    case Bottleneck::kDependency: return "dependency";
  }
  return "";
}

Analysis analyse(const Measurements& measurements) {
  Analysis analysis;
  analysis.plateau = find_plateau(measurements.curve);
  analysis.job_class = classify(measurements.job);
  analysis.cpu_share = cpu_share(measurements.job);
  analysis.hand_off = hand_off_of(measurements);
  analysis.knee = find_knee(measurements.curve);
  analysis.law = fit_scalability(measurements.curve);
  const CurvePoint& point = *find_point(measurements.curve, analysis.plateau.workers);
  analysis.efficiency = rate_of(point) / roof_of(measurements.job, point.workers, measurements.cpus);
  analysis.bottleneck = bottleneck_of(analysis, point, measurements);
  analysis.workers = advised_workers(analysis, measurements.cpus);
  analysis.is_answered = is_answered(analysis);
  analysis.opinions_agree = agree(analysis);
  return analysis;
}

}  // namespace optimux::pool::advisor
