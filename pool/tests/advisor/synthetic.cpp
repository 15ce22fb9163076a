#include "advisor/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace optimux::pool::advisor {
namespace {

// Box and Muller's; std::normal_distribution is another one in every library.
double normal(std::mt19937& generator) {
  const double u = (static_cast<double>(generator()) + 1) / 4294967297.0;
  const double v = static_cast<double>(generator()) / 4294967296.0;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace

Curve make_curve(const std::vector<int>& sizes, const std::function<double(double)>& rate, const Noise& noise) {
  std::mt19937 generator(noise.seed);
  Curve curve;
  for (const int size : sizes) {
    CurvePoint point{.workers = size, .rates = {}, .cpu_busy = 0};
    for (int round = 0; round < noise.rounds; ++round) {
      point.rates.push_back(rate(size) * std::max(0.05, 1 + noise.deviation * normal(generator)));
    }
    curve.push_back(std::move(point));
  }
  return curve;
}

std::function<double(double)> flat_from(double knee, double each) {
  return [=](double workers) { return each * std::min(workers, knee); };
}

}  // namespace optimux::pool::advisor
