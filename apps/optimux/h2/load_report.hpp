#pragma once

#include "apps/optimux/h2/load_figures.hpp"
#include "plot/chart.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace optimux::apps {

/// What one policy made of the pages of all seeds.
struct PolicyOutcome {
  http::SchedulingPolicy policy = http::SchedulingPolicy::kPhases;
  PageLoad first;                                ///< The load of the first seed.
  std::vector<std::vector<LoadFigure>> figures;  ///< By seed.
};

/// Loads the pages of `seeds` seeds, from `first_seed` on, under each of the policies.
struct LoadExperiment {
  PageShape shape;
  Link link;
  std::vector<http::SchedulingPolicy> policies;
  std::uint64_t first_seed = 1;
  int seeds = 1;

  /// Runs it; as many outcomes as there are policies, in their order.
  std::vector<PolicyOutcome> run() const;
  /// The page of the first seed.
  Page first_page() const { return make_page(shape, link, first_seed); }
  /// In words, as a title: "20 images of 90 kB, 3 Mbit/s, …".
  std::string summary() const;
};

/// Medians over the seeds, as tables for people.
void print_tables(std::ostream& out, const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes);

/// The arguments, the figures of each seed, and their medians.
std::string to_json(const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes);

/// The first seed: a line for each picture and policy.
void write_csv(std::ostream& out, const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes);

/// The first seed: for each policy a waterfall, in which each picture has a row with a dot for each of its phases, and
/// below them how much is seen over time.
pool::plot::Chart chart_of(const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes);

}  // namespace optimux::apps
