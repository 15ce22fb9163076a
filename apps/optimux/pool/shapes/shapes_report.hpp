#pragma once

#include "apps/optimux/pool/shapes/experiment.hpp"

#include <string>
#include <vector>

namespace optimux::apps {

/// What was compared, and what came out.
struct ShapesReport {
  std::string work;  ///< "fetch sleep:70ms, process burn:2000000".
  int cpus = 1;
  ExperimentPlan plan;
  std::vector<ShapeResult> results;  ///< At least one.
};

/// A table of medians.
std::string to_text(const ShapesReport& report);
/// One JSON object.
std::string to_json(const ShapesReport& report);
/// Throughput, latency quantiles and blocked share of each shape, by its number in the order of the table.
std::string to_svg(const ShapesReport& report);

}  // namespace optimux::apps
