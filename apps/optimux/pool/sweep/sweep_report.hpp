#pragma once

#include "advisor/advice.hpp"
#include "advisor/analysis.hpp"
#include "advisor/curve.hpp"
#include "apps/optimux/pool/sweep/sweep.hpp"
#include "base/result.hpp"

#include <string>

namespace optimux::apps {

/// All that a sweep has to say.
struct SweepReport {
  std::string job;         ///< As on the command line.
  std::string cpu_source;  ///< Where the number of CPUs comes from.
  SweepResult result;
  pool::advisor::Analysis analysis;
  pool::advisor::Advice advice;
};

/// Analyses a result. Errors: kInvalidParameter when there is too little of it.
base::Result<SweepReport> make_report(std::string job, std::string cpu_source, SweepResult result);

/// A table, and the advice below it.
std::string to_text(const SweepReport& report);
/// One JSON object: what was measured, the analysis, the advice.
std::string to_json(const SweepReport& report);
/// Throughput over pool size with the spread of the rounds, what workers and CPUs could do, and the fitted law.
std::string to_svg(const SweepReport& report);

/// Reads what `to_json` has written: the measurements, not the analysis. Errors: kInvalidParameter.
base::Result<SweepReport> read_report(const std::string& json);

}  // namespace optimux::apps
