#include "apps/optimux/h2/load_report.hpp"

#include "apps/optimux/pool/text_table.hpp"
#include "http/scheduling_policy_name.hpp"
#include "simulator/number_text.hpp"

#include <nlohmann/json.hpp>

#include <ostream>

namespace optimux::apps {
namespace {

using Group = LoadFigure::Group;
using Json = nlohmann::ordered_json;
using pool::simulator::number_text;

constexpr double kBitsPerByte = 8;
constexpr double kMega = 1e6;
constexpr int kTimeDecimals = 6;

std::string policy_text(http::SchedulingPolicy policy) {
  return std::string(http::name_of(policy));
}

std::string cell(const LoadFigure& figure) {
  const bool is_time = figure.key.ends_with("_s");
  return number_text(figure.value, is_time ? 3 : 0);
}

std::string table_of(Group group, const std::vector<PolicyOutcome>& outcomes) {
  std::vector<std::string> titles = {"policy"};
  for (const LoadFigure& figure : outcomes.front().figures.front())
    if (figure.group == group) titles.push_back(figure.title);
  if (titles.size() == 1) return "";
  TextTable table(titles, TextTable::FirstColumn::kName);
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<std::string> cells = {policy_text(outcome.policy)};
    for (const LoadFigure& figure : medians_of(outcome.figures))
      if (figure.group == group) cells.push_back(cell(figure));
    table.add(std::move(cells));
  }
  return table.text();
}

Json object_of(const std::vector<LoadFigure>& figures) {
  Json object;
  for (const LoadFigure& figure : figures) object[figure.key] = figure.value;
  return object;
}

}  // namespace

std::vector<PolicyOutcome> LoadExperiment::run() const {
  std::vector<PolicyOutcome> outcomes;
  for (const http::SchedulingPolicy policy : policies) outcomes.push_back({policy, {}, {}});
  for (int i = 0; i < seeds; ++i) {
    const Page page = make_page(shape, link, first_seed + static_cast<std::uint64_t>(i));
    for (PolicyOutcome& outcome : outcomes) {
      PageLoad load = load_page(page, link, outcome.policy);
      outcome.figures.push_back(figures_of(page, link, load));
      if (i == 0) outcome.first = std::move(load);
    }
  }
  return outcomes;
}

std::string LoadExperiment::summary() const {
  std::string text = std::to_string(shape.images) + " images of " + number_text(shape.mean_size / 1000, 1) + " kB, " +
                     number_text(link.bytes_per_second * kBitsPerByte / kMega, 3) + " Mbit/s, round trip " +
                     number_text(link.round_trip * 1000, 0) + " ms, send buffer " + std::to_string(link.send_buffer) +
                     " B";
  if (shape.blocked > 0) text += ", " + number_text(shape.blocked * 100, 1) + " % blocked";
  return text;
}

void print_tables(std::ostream& out, const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes) {
  out << experiment.summary() << "; ";
  if (experiment.seeds > 1) out << "medians of " << experiment.seeds << " seeds; ";
  out << "seconds\n" << table_of(Group::kPage, outcomes);
  if (experiment.shape.has_late_request)
    out << "\nthe late urgent image, from its request on\n" << table_of(Group::kLate, outcomes);
  out << "\non the line\n" << table_of(Group::kLine, outcomes);
}

std::string to_json(const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes) {
  Json document = {{"images", experiment.shape.images},
                   {"mean_size", experiment.shape.mean_size},
                   {"size_variation", experiment.shape.size_variation},
                   {"blocked", experiment.shape.blocked},
                   {"bytes_per_second", experiment.link.bytes_per_second},
                   {"round_trip_s", experiment.link.round_trip},
                   {"send_buffer", experiment.link.send_buffer},
                   {"first_seed", experiment.first_seed},
                   {"policies", Json::array()}};
  for (const PolicyOutcome& outcome : outcomes) {
    Json runs = Json::array();
    for (const auto& figures : outcome.figures) runs.push_back(object_of(figures));
    document["policies"].push_back({{"policy", policy_text(outcome.policy)},
                                    {"medians", object_of(medians_of(outcome.figures))},
                                    {"runs", std::move(runs)}});
  }
  return document.dump(2) + '\n';
}

void write_csv(std::ostream& out, const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes) {
  const Page page = experiment.first_page();
  out << "policy,image,late,bytes,urgency,requested_s,head_s,first_s,good_s,full_s\n";
  for (const PolicyOutcome& outcome : outcomes) {
    for (std::size_t i = 0; i < page.images.size(); ++i) {
      const PageImage& image = page.images[i];
      out << policy_text(outcome.policy) << ',' << i + 1 << ',' << (image.is_late ? 1 : 0) << ',' << image.size() << ','
          << image.priority.urgency << ',' << number_text(image.requested, kTimeDecimals);
      for (const double time : outcome.first.images[i]) out << ',' << number_text(time, kTimeDecimals);
      out << '\n';
    }
  }
}

}  // namespace optimux::apps
