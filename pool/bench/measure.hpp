/// \file
/// Measures contenders in turn, so that what disturbs one disturbs the others.
#pragma once

#include "contender.hpp"

#include <string>
#include <vector>

namespace optimux::pool::bench {

/// One way of handing jobs over.
struct Way {
  std::string name;
  std::unique_ptr<Contender> (*make)(int workers);
};

/// The times that one way took, a value a round.
struct Series {
  Way way;
  std::vector<double> ns_per_job;
};

/// One load, and who is measured under it.
struct Row {
  std::string name;
  int workers = 1;
  std::uint32_t steps = 0;  ///< Work of each job; see `burn`.
  double ms_a_turn = 40;    ///< As many jobs are submitted as take about so long.
  std::vector<Series> series;
};

/// Measures every series of every row once a round, beginning with another one each time. Appends to `ns_per_job`.
void measure(std::vector<Row>& rows, int rounds);

/// The middle value; the mean of the two in the middle of an even number. `values` must not be empty.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace optimux::pool::bench
