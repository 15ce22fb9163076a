/// \file
/// An analysis in words, and as settings to paste.
#pragma once

#include "advisor/analysis.hpp"
#include "advisor/sizing.hpp"

#include <string>
#include <vector>

namespace optimux::pool::advisor {

/// What to tell somebody who asked how many workers to use.
struct Advice {
  std::string headline;              ///< One line without a full stop: "2 workers: the plateau is reached there".
  std::vector<std::string> reasons;  ///< Sentences: what was seen, what limits, what to do next.
  std::string settings;              ///< C++ lines for `Config` and a line for the server's file; empty without advice.
};

/// Puts an analysis into words. Pure.
[[nodiscard]] Advice advise(const Analysis& analysis, const Measurements& measurements);

/// Puts a sizing into words. Pure.
[[nodiscard]] Advice advise(const Sizing& sizing, const Demand& demand);

/// "7.1 us", "50 ms", "1.2 s": three digits at most.
[[nodiscard]] std::string format_seconds(double seconds);
/// "1,840,000" or "8.62": three significant digits, thousands parted by commas.
[[nodiscard]] std::string format_rate(double rate);
/// "12 %", below ten "3.4 %".
[[nodiscard]] std::string format_share(double share);

}  // namespace optimux::pool::advisor
