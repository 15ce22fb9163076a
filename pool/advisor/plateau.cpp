#include "advisor/plateau.hpp"

#include "advisor/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool::advisor {
namespace {

// One figure for the whole curve, from the distances of all rounds to the median of their size: that of a single size
// with five rounds would itself be right to within a half only. The root makes up for the medians having been fitted.
double typical_deviation(const Curve& curve) {
  std::vector<double> distances;
  for (const CurvePoint& point : curve) {
    const double middle = rate_of(point);
    for (const double rate : point.rates) distances.push_back(std::abs(rate / middle - 1));
  }
  const auto rounds = static_cast<double>(curve.front().rates.size());
  return 1.4826 * median(std::move(distances)) * std::sqrt(rounds / (rounds - 1));
}

double noise_of(double deviation, std::size_t rounds) {
  constexpr double kDifferenceOfMedians = 1.41421356 * 1.2533;
  constexpr double kBestOfSeveral = 3;  // Not 2: the best of several sizes is the one that chance has favoured.
  return std::max(kSmallestNoise,
                  kBestOfSeveral * kDifferenceOfMedians * deviation / std::sqrt(static_cast<double>(rounds)));
}

const CurvePoint& best_of(const Curve& curve) {
  return *std::max_element(curve.begin(), curve.end(),
                           [](const auto& left, const auto& right) { return rate_of(left) < rate_of(right); });
}

bool has_witness(const CurvePoint& reached, const CurvePoint& largest, double noise) {
  return largest.workers >= reached.workers * (1 + 2 * noise);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPlateau: return "plateau";
    case Verdict::kStillRising: return "still rising";
    case Verdict::kTooNoisy: return "too noisy";
  }
  return "";
}

Plateau find_plateau(const Curve& curve) {
  Plateau plateau;
  const CurvePoint& best = best_of(curve);
  plateau.best_rate = rate_of(best);
  plateau.best_workers = best.workers;
  plateau.deviation = typical_deviation(curve);
  plateau.noise = noise_of(plateau.deviation, curve.front().rates.size());
  const auto reached = std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) {
    return rate_of(point) >= plateau.best_rate * (1 - plateau.noise);
  });
  const bool is_flat = has_witness(*reached, curve.back(), plateau.noise);
  const CurvePoint& answer = is_flat ? *reached : curve.back();
  plateau.workers = answer.workers;
  plateau.rate = rate_of(answer);
  plateau.verdict = is_flat ? Verdict::kPlateau : Verdict::kStillRising;
  // A rise that no chance makes is one however much the rounds differ.
  const bool is_told = plateau.noise <= kLargestNoise || reached->workers == curve.back().workers;
  if (!is_told) plateau.verdict = Verdict::kTooNoisy;
  return plateau;
}

}  // namespace optimux::pool::advisor
