#include "apps/optimux/pool/simulation_report.hpp"

#include "base/text.hpp"
#include "simulator/number_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <limits>
#include <ostream>

namespace optimux::apps {
namespace {

using Json = nlohmann::ordered_json;
using pool::to_seconds;
using pool::simulator::number_text;
using pool::simulator::Outcomes;
using pool::simulator::Report;
using pool::simulator::summarise;
using pool::simulator::Summary;

/// One figure of a run: how it is called, where it is found, and with how many decimals people want it.
struct Figure {
  const char* key;    // in JSON
  const char* title;  // in tables
  int decimals;
  double (*of)(const Report&);
};

double capacity_seconds(const Report& report) {
  return report.time_to_capacity ? to_seconds(*report.time_to_capacity) : std::numeric_limits<double>::infinity();
}

constexpr Figure kFigures[] = {
    {"reversals", "reversals", 1, [](const Report& r) { return static_cast<double>(r.reversals); }},
    {"time_to_capacity_s", "capacity s", 2, capacity_seconds},
    {"wait_p50_s", "wait p50 s", 3, [](const Report& r) { return to_seconds(r.wait.p50); }},
    {"wait_p95_s", "p95", 3, [](const Report& r) { return to_seconds(r.wait.p95); }},
    {"wait_p99_s", "p99", 3, [](const Report& r) { return to_seconds(r.wait.p99); }},
    {"delay_p99_s", "delay p99 s", 3, [](const Report& r) { return to_seconds(r.delay.p99); }},
    {"worker_seconds_per_job", "worker-s/job", 3, [](const Report& r) { return r.worker_seconds_per_job; }},
    {"mean_workers", "workers", 2, [](const Report& r) { return r.mean_workers; }},
    {"most_workers", "most", 1, [](const Report& r) { return static_cast<double>(r.most_workers); }},
    {"done", "done", 1, [](const Report& r) { return static_cast<double>(r.done); }},
    {"refused", "refused", 1, [](const Report& r) { return static_cast<double>(r.refused); }},
};
constexpr int kNameWidth = 22;
constexpr int kGap = 2;

int width(const Figure& figure) {
  return std::max(8, static_cast<int>(std::string_view(figure.title).size())) + kGap;
}

std::string text(const Figure& figure, double value) {
  return std::isfinite(value) ? number_text(value, figure.decimals) : "never";
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

void print_head(std::ostream& out, const char* names) {
  out << std::left << std::setw(kNameWidth) << names << std::right;
  for (const Figure& figure : kFigures) out << std::setw(width(figure)) << figure.title;
  out << '\n';
}

void print_row(std::ostream& out, const std::string& name, const std::function<std::string(const Figure&)>& cell) {
  out << std::left << std::setw(kNameWidth) << name << std::right;
  for (const Figure& figure : kFigures) out << std::setw(width(figure)) << cell(figure);
  out << '\n';
}

Json figures_of(const Report& report) {
  Json object;
  for (const Figure& figure : kFigures) object[figure.key] = number(figure.of(report));
  return object;
}

Json summaries_of(const Outcomes& outcomes) {
  Json object;
  for (const Figure& figure : kFigures) {
    const Summary summary = summarise(outcomes, figure.of);
    object[figure.key] = {
        {"median", number(summary.median)}, {"low", number(summary.low)}, {"high", number(summary.high)}};
  }
  return object;
}

}  // namespace

void print_table(std::ostream& out, const std::vector<Outcomes>& outcomes) {
  const Outcomes* above = nullptr;
  for (const Outcomes& row : outcomes) {
    if (above == nullptr || above->load != row.load || above->gate != row.gate) {
      out << (above == nullptr ? "" : "\n") << "load " << base::printable(row.load) << ", gate " << row.gate << '\n';
      print_head(out, "policy");
    }
    print_row(out, row.policy, [&](const Figure& figure) { return text(figure, summarise(row, figure.of).median); });
    above = &row;
  }
  if (above != nullptr && above->reports.size() > 1) out << "\nmedians of " << above->reports.size() << " seeds\n";
}

std::string to_json(const std::vector<Outcomes>& outcomes, const std::vector<std::uint64_t>& seeds) {
  Json rows = Json::array();
  for (const Outcomes& row : outcomes) {
    Json object = {{"load", row.load}, {"gate", row.gate}, {"policy", row.policy}, {"summary", summaries_of(row)}};
    for (std::size_t i = 0; i < row.reports.size(); ++i) {
      Json run = {{"seed", seeds[i]}};
      run.update(figures_of(row.reports[i]));
      object["runs"].push_back(std::move(run));
    }
    rows.push_back(std::move(object));
  }
  return Json{{"pools", std::move(rows)}}.dump(2) + "\n";
}

void print_differences(std::ostream& out, const Report& simulated, const Report& replayed) {
  print_head(out, "");
  print_row(out, "simulated", [&](const Figure& figure) { return text(figure, figure.of(simulated)); });
  print_row(out, "replayed", [&](const Figure& figure) { return text(figure, figure.of(replayed)); });
  print_row(out, "difference", [&](const Figure& figure) {
    const double difference = figure.of(replayed) - figure.of(simulated);
    return std::isfinite(difference) ? (difference > 0 ? "+" : "") + number_text(difference, figure.decimals) : "-";
  });
}

std::string differences_to_json(const Report& simulated, const Report& replayed) {
  Json differences;
  for (const Figure& figure : kFigures) {
    differences[figure.key] = number(figure.of(replayed) - figure.of(simulated));
  }
  const Json object = {
      {"simulated", figures_of(simulated)}, {"replayed", figures_of(replayed)}, {"difference", differences}};
  return object.dump(2) + "\n";
}

}  // namespace optimux::apps
