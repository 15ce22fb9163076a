/// \file
/// A second opinion: the knee of a curve by Kneedle (Satopää, Albrecht, Irwin and Raghavan, "Finding a 'Kneedle' in a
/// Haystack", 2011).
#pragma once

#include "advisor/curve.hpp"

#include <optional>

namespace optimux::pool::advisor {

/// The knee of a rising, concave curve.
struct Knee {
  int workers = 1;       ///< A size that was measured.
  double distance = 0;   ///< How far the curve, scaled to the unit square, stands above its diagonal there; 0 to 1.
  double fit_error = 0;  ///< Root mean square of the relative distance from "in proportion up to the knee, then flat".
};

/// The last knee that Kneedle finds among the medians with sensitivity 1; nothing when the curve does not bend, as a
/// straight one. `curve` as `validate` wants it. Pure.
[[nodiscard]] std::optional<Knee> find_knee(const Curve& curve);

}  // namespace optimux::pool::advisor
