#pragma once

#include "simulator/experiment.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace optimux::apps {

/// A table for people: medians over the seeds, one block for each load and gate.
void print_table(std::ostream& out, const std::vector<pool::simulator::Outcomes>& outcomes);

/// The same and the spreads as one JSON object, with every run's figures. Times are seconds; a capacity that was never
/// reached is null.
std::string to_json(const std::vector<pool::simulator::Outcomes>& outcomes, const std::vector<std::uint64_t>& seeds);

/// The figures of a run in virtual and in real time and by how much they differ, for people.
void print_differences(std::ostream& out, const pool::simulator::Report& simulated,
                       const pool::simulator::Report& replayed);

/// The same as one JSON object.
std::string differences_to_json(const pool::simulator::Report& simulated, const pool::simulator::Report& replayed);

}  // namespace optimux::apps
