// What it costs to hand jobs over: this library next to others, in one run and in turns.
// usage: optimux-pool-bench [--rounds N] [--quick] [--json FILE] [--row TEXT] [--way TEXT]
// Prints medians and spreads; --json writes every value. --row and --way leave out what has no TEXT in its name.

#include "measure.hpp"
#include "optimux/pool/cpu_count.hpp"
#include "work.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>

namespace optimux::pool::bench {
namespace {

struct Options {
  int rounds = 15;
  bool quick = false;
  std::string json;
  std::string row;
  std::string way;
};

std::optional<Options> parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--quick") {
      options.quick = true;
      continue;
    }
    if (++i == arguments.size()) return std::nullopt;
    if (name == "--rounds") {
      options.rounds = std::max(1, std::atoi(arguments[i]));
    } else if (name == "--json") {
      options.json = arguments[i];
    } else if (name == "--row") {
      options.row = arguments[i];
    } else if (name == "--way") {
      options.way = arguments[i];
    } else {
      return std::nullopt;
    }
  }
  return options;
}

std::vector<Series> everybody(bool with_pure_work) {
  std::vector<Series> all = {
      {{"optimux", make_optimux}, {}},
      {{"optimux, functions", make_optimux_functions}, {}},
      {{"optimux, batches", make_optimux_batches}, {}},
      {{"task queue (as BS::thread_pool)", make_task_queue_pool}, {}},
#ifdef OPTIMUX_POOL_BENCH_TBB
      {{"oneTBB queue", make_tbb_queue}, {}},
#endif
      {{"mutex and condition variables", make_mutex_pool}, {}},
      {{"channel of channels", make_channel_of_channels}, {}},
  };
  if (with_pure_work) all.push_back({{"pure work", make_no_pool}, {}});
  return all;
}

std::vector<Row> make_rows(const Options& options) {
  std::vector<Row> rows;
  const double scale = options.quick ? 0.1 : 1;
  for (const int workers : {2, 8, 32}) rows.push_back({"empty", workers, 0, 40 * scale, everybody(false)});
  rows.push_back({"7 us", 100, steps_for(7'000), 60 * scale, everybody(true)});
  rows.push_back({"600 us", count_cpus().cpus, steps_for(600'000), 120 * scale, everybody(true)});
  const auto lacks = [](const std::string& name, const std::string& text) {
    return name.find(text) == std::string::npos;
  };
  std::erase_if(rows, [&](const Row& row) { return lacks(row.name, options.row); });
  for (Row& row : rows) {
    std::erase_if(row.series, [&](const Series& series) { return lacks(series.way.name, options.way); });
  }
  return rows;
}

void print(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::printf("\n%s, W = %d\n", row.name.c_str(), row.workers);
    for (const Series& series : row.series) {
      const auto [low, high] = std::minmax_element(series.ns_per_job.begin(), series.ns_per_job.end());
      std::printf("  %-32s %10.1f ns a job  (%.1f to %.1f)\n", series.way.name.c_str(), median(series.ns_per_job), *low,
                  *high);
    }
  }
}

void write_series(std::ostream& out, const Series& series) {
  out << R"(    {"name": ")" << series.way.name << R"(", "ns_per_job": [)";
  for (std::size_t i = 0; i < series.ns_per_job.size(); ++i) out << (i > 0 ? ", " : "") << series.ns_per_job[i];
  out << "]}";
}

bool write_json(const std::vector<Row>& rows, const std::string& file) {
  std::ofstream out(file);
  out << R"({"cpus": )" << count_cpus().cpus << ", \"rows\": [\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out << R"(  {"name": ")" << rows[r].name << R"(", "workers": )" << rows[r].workers << ", \"series\": [\n";
    for (std::size_t s = 0; s < rows[r].series.size(); ++s) {
      write_series(out, rows[r].series[s]);
      out << (s + 1 < rows[r].series.size() ? ",\n" : "\n");
    }
    out << "  ]}" << (r + 1 < rows.size() ? ",\n" : "\n");
  }
  out << "]}\n";
  return out.good();
}

int run(std::span<char*> arguments) {
  const std::optional<Options> options = parse(arguments);
  if (!options) {
    std::fputs("usage: optimux-pool-bench [--rounds N] [--quick] [--json FILE] [--row TEXT] [--way TEXT]\n", stderr);
    return 2;
  }
  std::vector<Row> rows = make_rows(*options);
  measure(rows, options->rounds);
  print(rows);
  if (options->json.empty() || write_json(rows, options->json)) return 0;
  std::fprintf(stderr, "cannot write %s\n", options->json.c_str());
  return 1;
}

}  // namespace
}  // namespace optimux::pool::bench

int main(int argc, char** argv) {
  return optimux::pool::bench::run({argv, static_cast<std::size_t>(argc)});
}
