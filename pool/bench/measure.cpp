#include "measure.hpp"

#include <algorithm>
#include <chrono>

namespace optimux::pool::bench {
namespace {

double time_one(const Way& way, const Row& row, std::int64_t jobs) {
  const std::unique_ptr<Contender> contender = way.make(row.workers);
  const auto begin = std::chrono::steady_clock::now();
  contender->run(jobs, row.steps);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(jobs);
}

// The first turn of a series is a short one that only finds out how many jobs to submit.
std::int64_t jobs_for(const Row& row, double ns_per_job) {
  return std::max<std::int64_t>(100, static_cast<std::int64_t>(row.ms_a_turn * 1e6 / ns_per_job));
}

}  // namespace

void measure(std::vector<Row>& rows, int rounds) {
  std::vector<std::vector<std::int64_t>> jobs;
  for (const Row& row : rows) {
    const std::int64_t trial = row.steps < 100'000 ? 5'000 : 100;
    auto& of_row = jobs.emplace_back();
    for (const Series& series : row.series) of_row.push_back(jobs_for(row, time_one(series.way, row, trial)));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t count = rows[r].series.size();
      for (std::size_t turn = 0; turn < count; ++turn) {
        const std::size_t s = (turn + static_cast<std::size_t>(round)) % count;
        Series& series = rows[r].series[s];
        series.ns_per_job.push_back(time_one(series.way, rows[r], jobs[r][s]));
      }
    }
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace optimux::pool::bench
