#include "advisor/advice.hpp"

namespace optimux::pool::advisor {
namespace {

std::string workers_text(int workers) {
  return std::to_string(workers) + (workers == 1 ? " worker" : " workers");
}

std::string settings_for(int workers) {
  const std::string number = std::to_string(workers);
  return "config.min_workers = " + number + ";\nconfig.max_workers = " + number +
         ";\nconfig.policy = std::make_shared<optimux::pool::FixedPolicy>(" + number +
         ");\n# or, in the file of the server\nimage_workers_max = " + number + "\n";
}

std::string batching_for(const Analysis& analysis) {
  if (analysis.bottleneck != Bottleneck::kHandOff) return "";
  return "factory = optimux::pool::batching_worker<Job>(" + std::to_string(analysis.hand_off->advised_batch) +
         ", handler);\n";
}

std::string headline_of_curve(const Analysis& analysis, int cpus) {
  const std::string workers = workers_text(analysis.workers);
  switch (analysis.plateau.verdict) {
    case Verdict::kTooNoisy: return "Too noisy: no recommendation";
    case Verdict::kStillRising: return "Still rising at " + workers + ": no plateau in range";
    case Verdict::kPlateau: break;
  }
  const bool is_cpu_count = analysis.workers == cpus && analysis.job_class == JobClass::kCpu;
  return workers + ": the smallest size on the plateau" + (is_cpu_count ? ", and the number of usable CPUs" : "");
}

std::string headline(const Analysis& analysis, int cpus) {
  std::string of_curve = headline_of_curve(analysis, cpus);
  if (analysis.bottleneck != Bottleneck::kHandOff) return of_curve;
  const std::string batch = "Hand-off bound: batch " + std::to_string(analysis.hand_off->advised_batch) + " jobs, and ";
  return batch + (analysis.is_answered ? workers_text(analysis.workers) : "measure again. " + of_curve);
}

std::string describe_job(const Analysis& analysis, const JobProfile& job) {
  return "A job alone takes " + format_seconds(job.wall) + ", of which " + format_share(analysis.cpu_share) +
         " is CPU time: " + std::string(to_string(analysis.job_class)) +
         (analysis.job_class == JobClass::kMixed ? "." : "-bound.");
}

std::string describe_curve(const Plateau& plateau) {
  const std::string rate = format_rate(plateau.rate) + " jobs/s";
  const std::string noise = "sizes that differ by less than " + format_share(plateau.noise) + " count as equal";
  switch (plateau.verdict) {
    case Verdict::kPlateau:
      return "Throughput reaches " + rate + " with " + workers_text(plateau.workers) + "; the best of all is " +
             format_rate(plateau.best_rate) + " with " + std::to_string(plateau.best_workers) + " (" + noise + ").";
    case Verdict::kStillRising:
      return "Throughput rises up to the largest size, " + workers_text(plateau.workers) + " with " + rate + " (" +
             noise + ").";
    case Verdict::kTooNoisy:
      return "One round differs from the next by " + format_share(plateau.deviation) + ", so that sizes " +
             format_share(plateau.noise) + " apart cannot be told from each other.";
  }
  return "";
}

std::string describe_hand_off(const HandOffCost& hand_off) {
  return "Handing a job over costs " + format_seconds(hand_off.seconds) + " of a CPU, " + format_share(hand_off.share) +
         " of the job's time in the pool: batches of " + std::to_string(hand_off.measured_batch) + " did " +
         format_rate(hand_off.gain) + " times as many jobs a second.";
}

std::string describe_bottleneck(const Analysis& analysis, int cpus) {
  const std::string efficiency = format_share(analysis.efficiency) + " of what workers and CPUs could do";
  switch (analysis.bottleneck) {
    case Bottleneck::kHandOff:
      return "The hand-off is the bottleneck, not the number of workers: let a worker take " +
             std::to_string(analysis.hand_off->advised_batch) + " jobs at a time" +
             (analysis.is_answered ? " and stay at the number above." : ", then measure again.");
    case Bottleneck::kCpu:
      return "The " + std::to_string(cpus) + " usable CPUs are the bottleneck (" + efficiency +
             "): more workers only share them.";
    case Bottleneck::kDependency:
      return "CPUs are idle on the plateau (" + efficiency +
             "): what the jobs wait for takes no more at once. Raise its limit, or cache so that fewer jobs wait.";
    case Bottleneck::kNone:
      return "Measure larger sizes, or size for the rate that is needed: optimux pool size --rate R --latency L, "
             "capped "
             "by what the dependency takes.";
    case Bottleneck::kUnknown: return "Repeat it on a quiet machine, or with more rounds (--rounds).";
  }
  return "";
}

std::string second_opinions(const Analysis& analysis) {
  std::string text = analysis.knee ? "Kneedle sees the knee at " + std::to_string(analysis.knee->workers) +
                                         " (fit error " + format_share(analysis.knee->fit_error) + ")"
                                   : "Kneedle sees no knee";
  const Scalability& law = analysis.law;
  text += "; the scalability law has contention " + format_share(law.alpha);
  if (law.peak) text += " and its peak at " + format_rate(*law.peak) + " workers";
  if (law.roof) text += " and its roof at " + format_rate(*law.roof) + " jobs/s";
  text += " (fit error " + format_share(law.fit_error) + ").";
  return text + (analysis.opinions_agree ? "" : " They do not agree with the noise band; trust the table.");
}

}  // namespace

Advice advise(const Analysis& analysis, const Measurements& measurements) {
  Advice advice;
  advice.headline = headline(analysis, measurements.cpus);
  advice.reasons = {describe_job(analysis, measurements.job), describe_curve(analysis.plateau)};
  if (analysis.hand_off) advice.reasons.push_back(describe_hand_off(*analysis.hand_off));
  advice.reasons.push_back(describe_bottleneck(analysis, measurements.cpus));
  advice.reasons.push_back(second_opinions(analysis));
  if (analysis.is_answered) advice.settings = batching_for(analysis) + settings_for(analysis.workers);
  return advice;
}

Advice advise(const Sizing& sizing, const Demand& demand) {
  Advice advice;
  advice.headline = workers_text(sizing.workers);
  advice.reasons.push_back(format_rate(demand.rate) + " jobs/s x " + format_seconds(demand.latency) + " = " +
                           format_rate(sizing.busy) + " jobs in flight; with a headroom of " +
                           format_rate(demand.headroom) + " that is " + workers_text(sizing.wanted) + ".");
  if (sizing.is_limited) {
    advice.reasons.push_back("The dependency takes " + std::to_string(demand.limit) + " at once, so that " +
                             format_rate(sizing.reachable_rate) + " jobs/s are the most that can be reached.");
  }
  if (!sizing.is_reachable) {
    advice.reasons.push_back(
        "The rate is out of reach: raise the dependency's limit, cache so that fewer jobs wait for it, or accept a "
        "lower "
        "rate.");
  }
  advice.settings = settings_for(sizing.workers);
  return advice;
}

}  // namespace optimux::pool::advisor
