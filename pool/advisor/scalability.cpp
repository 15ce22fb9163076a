#include "advisor/scalability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace optimux::pool::advisor {
namespace {

// N/X = c0 + c1 (N-1) + c2 N(N-1), with c0 = 1/γ, c1 = α/γ, c2 = β/γ.
constexpr std::size_t kTerms = 3;
using Row = std::array<double, kTerms>;

// Each row is divided by its own N/X, so that the right side is 1 and the error relative.
std::vector<Row> relative_rows(const Curve& curve) {
  std::vector<Row> rows;
  rows.reserve(curve.size());
  for (const CurvePoint& point : curve) {
    const double n = point.workers;
    const double scale = rate_of(point) / n;
    rows.push_back({scale, scale * (n - 1), scale * n * (n - 1)});
  }
  return rows;
}

struct Solution {
  Row coefficients{};
  bool is_valid = false;
};

using System = std::array<std::array<double, kTerms + 1>, kTerms>;

// The normal equations with unused terms replaced by "coefficient = 0".
System normal_equations(const std::vector<Row>& rows, const std::array<bool, kTerms>& used) {
  System system{};
  for (std::size_t i = 0; i < kTerms; ++i) {
    if (!used[i]) {
      system[i][i] = 1;
      continue;
    }
    for (const Row& row : rows) {
      for (std::size_t j = 0; j < kTerms; ++j) system[i][j] += used[j] ? row[i] * row[j] : 0;
      system[i][kTerms] += row[i];
    }
  }
  return system;
}

void eliminate(System& system, std::size_t column) {
  for (std::size_t i = 0; i < kTerms; ++i) {
    if (i == column) continue;
    const double factor = system[i][column] / system[column][column];
    for (std::size_t j = column; j <= kTerms; ++j) system[i][j] -= factor * system[column][j];
  }
}

// Gauss-Jordan; the matrix is symmetric and positive definite, or has no solution worth having.
Solution solve(System system) {
  Solution solution;
  for (std::size_t column = 0; column < kTerms; ++column) {
    if (!(std::abs(system[column][column]) > std::numeric_limits<double>::min())) return solution;
    eliminate(system, column);
  }
  for (std::size_t i = 0; i < kTerms; ++i) solution.coefficients[i] = system[i][kTerms] / system[i][i];
  const Row& c = solution.coefficients;
  solution.is_valid = c[0] > 0 && c[1] >= 0 && c[2] >= 0;
  return solution;
}

double squared_error(const std::vector<Row>& rows, const Row& c) {
  double sum = 0;
  for (const Row& row : rows) sum += std::pow(row[0] * c[0] + row[1] * c[1] + row[2] * c[2] - 1, 2);
  return sum;
}

// With two coefficients that may not be negative, trying each subset of them is the whole of the active-set method.
Row best_coefficients(const std::vector<Row>& rows) {
  constexpr std::array<std::array<bool, kTerms>, 4> kSubsets = {
      {{true, true, true}, {true, true, false}, {true, false, true}, {true, false, false}}};
  Row best{};
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& used : kSubsets) {
    const Solution solution = solve(normal_equations(rows, used));
    if (!solution.is_valid) continue;
    const double error = squared_error(rows, solution.coefficients);
    if (error >= smallest) continue;
    smallest = error;
    best = solution.coefficients;
  }
  return best;
}

double relative_error(const Scalability& law, const Curve& curve) {
  double squares = 0;
  for (const CurvePoint& point : curve) squares += std::pow(rate_at(law, point.workers) / rate_of(point) - 1, 2);
  return std::sqrt(squares / static_cast<double>(curve.size()));
}

}  // namespace

double rate_at(const Scalability& law, double workers) {
  return law.gamma * workers / (1 + law.alpha * (workers - 1) + law.beta * workers * (workers - 1));
}

Scalability fit_scalability(const Curve& curve) {
  const Row c = best_coefficients(relative_rows(curve));
  Scalability law;
  law.gamma = 1 / c[0];
  law.alpha = c[1] / c[0];
  law.beta = c[2] / c[0];
  law.fit_error = relative_error(law, curve);
  if (law.beta > 0) law.peak = std::max(1.0, std::sqrt(std::max(0.0, 1 - law.alpha) / law.beta));
  if (law.beta == 0 && law.alpha > 0) law.roof = law.gamma / law.alpha;
  return law;
}

}  // namespace optimux::pool::advisor
