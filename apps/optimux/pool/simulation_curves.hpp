#pragma once

#include "plot/chart.hpp"
#include "simulator/recording.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace optimux::apps {

/// One run with a name for the legend.
struct Curve {
  std::string name;
  pool::simulator::Recording recording;
  bool dashed = false;
};

/// Workers, queue and longest wait over time, one panel each.
pool::plot::Chart chart_of(const std::vector<Curve>& curves, std::string title, std::string subtitle);

/// The same as text: a header and one line for each sample of each run, times in seconds.
void write_csv(std::ostream& out, const std::vector<Curve>& curves);

}  // namespace optimux::apps
