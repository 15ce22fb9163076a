#pragma once

#include "apps/optimux/pool/shapes/shape.hpp"
#include "base/result.hpp"

#include <functional>
#include <string>
#include <vector>

namespace optimux::apps {

/// How the shapes are compared.
struct ExperimentPlan {
  std::vector<ShapeKind> shapes;  ///< At least one.
  int clients = 8;                ///< Each asks again as soon as it has its answer; 1 to 1,000.
  int requests = 40;              ///< Of all clients together, in each round; 1 to 1,000,000.
  int rounds = 3;                 ///< 1 to 100. Each round goes through all shapes, every second one backwards.
};

/// What one shape has done. Times in seconds.
struct ShapeResult {
  ShapeKind kind;
  std::vector<double> rates;        ///< Requests a second; one figure per round.
  std::vector<double> latencies;    ///< From the request to the last byte; one figure per request.
  std::vector<double> first_bytes;  ///< From the request to what the client sees first; one figure per request.
  std::vector<double> blocked;      ///< Share of the shape's threads' time that they waited for each other; per round.
};

/// Told before each run: the round from 1, and the shape.
using ExperimentProgress = std::function<void(int round, const ShapeKind& kind)>;

/// Runs the comparison. Blocks. Errors: kInvalidParameter for the plan; the first error of a stage.
base::Result<std::vector<ShapeResult>> run_experiment(const ExperimentPlan& plan, const Stages& stages,
                                                      const ExperimentProgress& progress);

}  // namespace optimux::apps
