// The JSON of a sweep, written and read.
#include "apps/optimux/pool/sweep/sweep_report.hpp"

#include "advisor/job_class.hpp"

#include <nlohmann/json.hpp>

namespace optimux::apps {
namespace {

namespace advisor = pool::advisor;
using nlohmann::ordered_json;

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json points(const advisor::Measurements& measured) {
  ordered_json list = ordered_json::array();
  for (const auto& point : measured.curve) {
    const double rate = rate_of(point);
    list.push_back({{"workers", point.workers},
                    {"rate", rate},
                    {"seconds_per_job", 1 / rate},
                    {"rates", point.rates},
                    {"cpu_busy", point.cpu_busy},
                    {"efficiency", rate / advisor::roof_of(measured.job, point.workers, measured.cpus)}});
  }
  return list;
}

ordered_json batched(const advisor::Measurements& measured) {
  if (!measured.batched) return nullptr;
  return {
      {"workers", measured.batched->workers}, {"batch", measured.batched->batch}, {"rates", measured.batched->rates}};
}

ordered_json hand_off(const advisor::Analysis& analysis) {
  if (!analysis.hand_off) return nullptr;
  const advisor::HandOffCost& cost = *analysis.hand_off;
  return {{"share", cost.share}, {"seconds", cost.seconds}, {"gain", cost.gain}, {"advised_batch", cost.advised_batch}};
}

ordered_json knee(const advisor::Analysis& analysis) {
  if (!analysis.knee) return nullptr;
  return {{"workers", analysis.knee->workers},
          {"distance", analysis.knee->distance},
          {"fit_error", analysis.knee->fit_error}};
}

ordered_json law(const advisor::Scalability& law) {
  return {{"gamma", law.gamma},         {"alpha", law.alpha},        {"beta", law.beta},
          {"fit_error", law.fit_error}, {"peak", or_null(law.peak)}, {"roof", or_null(law.roof)}};
}

ordered_json analysis(const advisor::Analysis& analysis) {
  return {{"verdict", to_string(analysis.plateau.verdict)},
          {"workers", analysis.workers},
          {"is_answered", analysis.is_answered},
          {"plateau_workers", analysis.plateau.workers},
          {"rate", analysis.plateau.rate},
          {"best_rate", analysis.plateau.best_rate},
          {"best_workers", analysis.plateau.best_workers},
          {"noise", analysis.plateau.noise},
          {"deviation", analysis.plateau.deviation},
          {"class", to_string(analysis.job_class)},
          {"cpu_share", analysis.cpu_share},
          {"efficiency", analysis.efficiency},
          {"bottleneck", to_string(analysis.bottleneck)},
          {"hand_off", hand_off(analysis)},
          {"kneedle", knee(analysis)},
          {"scalability_law", law(analysis.law)},
          {"opinions_agree", analysis.opinions_agree}};
}

// Throws what nlohmann::json throws for members that are missing or of another type.
SweepReport read_members(const ordered_json& document) {
  SweepReport report;
  report.job = document.at("job").get<std::string>();
  report.cpu_source = document.at("cpu_source").get<std::string>();
  report.result.failed_jobs = document.at("failed_jobs").get<std::uint64_t>();
  advisor::Measurements& measured = report.result.measurements;
  measured.cpus = document.at("cpus").get<int>();
  measured.job = {document.at("alone").at("wall_seconds").get<double>(),
                  document.at("alone").at("cpu_seconds").get<double>()};
  for (const auto& point : document.at("points")) {
    measured.curve.push_back({point.at("workers").get<int>(), point.at("rates").get<std::vector<double>>(),
                              point.at("cpu_busy").get<double>()});
  }
  const auto& probe = document.at("batched");
  if (!probe.is_null()) {
    measured.batched = advisor::BatchProbe{probe.at("workers").get<int>(), probe.at("batch").get<int>(),
                                           probe.at("rates").get<std::vector<double>>()};
  }
  return report;
}

}  // namespace

std::string to_json(const SweepReport& report) {
  const advisor::Measurements& measured = report.result.measurements;
  ordered_json document = {{"job", report.job},
                           {"cpus", measured.cpus},
                           {"cpu_source", report.cpu_source},
                           {"alone", {{"wall_seconds", measured.job.wall}, {"cpu_seconds", measured.job.cpu}}},
                           {"points", points(measured)},
                           {"batched", batched(measured)},
                           {"failed_jobs", report.result.failed_jobs},
                           {"analysis", analysis(report.analysis)},
                           {"advice",
                            {{"headline", report.advice.headline},
                             {"reasons", report.advice.reasons},
                             {"settings", report.advice.settings}}}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

base::Result<SweepReport> read_report(const std::string& json) {
  try {
    SweepReport read = read_members(ordered_json::parse(json));
    return make_report(std::move(read.job), std::move(read.cpu_source), std::move(read.result));
  } catch (const nlohmann::json::exception& error) {
    return base::fail(base::ErrorCode::kInvalidParameter, "this is no output of --json", error.what());
  }
}

}  // namespace optimux::apps
