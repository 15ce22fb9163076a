#pragma once

#include "advisor/curve.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace optimux::pool::advisor {

/// How noisy a made-up curve is, and how often each size is measured.
struct Noise {
  double deviation = 0;  ///< Relative standard deviation of a round.
  int rounds = 5;
  std::uint32_t seed = 1;
};

/// The curve that `rate` gives, with normal noise. The same arguments give the same curve on every machine.
Curve make_curve(const std::vector<int>& sizes, const std::function<double(double workers)>& rate,
                 const Noise& noise = {});

/// Rises in proportion up to `knee`, and is flat from there on; `each` jobs a second a worker.
std::function<double(double)> flat_from(double knee, double each = 1000);

inline const std::vector<int> kSizes = {1, 2, 5, 10, 20, 50, 100};

}  // namespace optimux::pool::advisor
