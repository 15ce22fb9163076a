/// \file
/// A second opinion: Gunther's universal scalability law, X(N) = γN / (1 + α(N-1) + βN(N-1)) (N. J. Gunther, "Guerrilla
/// Capacity Planning", 2007).
#pragma once

#include "advisor/curve.hpp"

#include <optional>

namespace optimux::pool::advisor {

/// The law fitted to a curve.
struct Scalability {
  double gamma = 0;            ///< Jobs a second of one worker.
  double alpha = 0;            ///< Contention: the share of the work that only one worker can do at a time; 0 or more.
  double beta = 0;             ///< Coherence: what each pair of workers costs; 0 or more.
  double fit_error = 0;        ///< Root mean square of the relative distance from the medians.
  std::optional<double> peak;  ///< The size with the most throughput, sqrt((1-α)/β); nothing while β is 0.
  std::optional<double> roof;  ///< Throughput that no size exceeds when β is 0: γ/α; nothing while α is 0.
};

/// The rate that a law gives for a size.
[[nodiscard]] double rate_at(const Scalability& law, double workers);

/// Fits the law to the medians by least squares of the relative error in N/X, in which it is linear, with α and β kept
/// at 0 or more. `curve` as `validate` wants it. Pure.
[[nodiscard]] Scalability fit_scalability(const Curve& curve);

}  // namespace optimux::pool::advisor
