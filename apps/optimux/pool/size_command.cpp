#include "apps/optimux/pool/size_command.hpp"

#include "advisor/advice.hpp"
#include "advisor/sizing.hpp"
#include "apps/optimux/complaint.hpp"
#include "apps/optimux/pool/seconds.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <optional>
#include <string>

namespace optimux::apps {
namespace {

namespace advisor = pool::advisor;

constexpr const char* kExamples =
    "Little's law: workers = rate x latency x headroom, capped by what the dependency takes at once. The p95 of the\n"
    "latency is safer than its mean. Measure again after a change: optimux pool sweep.\n\n"
    "examples:\n"
    "  optimux pool size --rate 2000 --latency 50ms                150 workers\n"
    "  optimux pool size --rate 2000 --latency 50ms --limit 64     64, and the rate is out of reach\n"
    "  optimux pool size --rate 300 --latency 200ms --headroom 1.25 --json\n\n";

std::string to_json(const advisor::Demand& demand, const advisor::Sizing& sizing, const advisor::Advice& advice) {
  const nlohmann::ordered_json limit =
      demand.limit > 0 ? nlohmann::ordered_json(demand.limit) : nlohmann::ordered_json(nullptr);
  const nlohmann::ordered_json document = {{"rate", demand.rate},
                                           {"latency_seconds", demand.latency},
                                           {"headroom", demand.headroom},
                                           {"limit", limit},
                                           {"workers", sizing.workers},
                                           {"workers_wanted", sizing.wanted},
                                           {"jobs_in_flight", sizing.busy},
                                           {"reachable_rate", sizing.reachable_rate},
                                           {"is_limited", sizing.is_limited},
                                           {"is_reachable", sizing.is_reachable},
                                           {"reasons", advice.reasons},
                                           {"settings", advice.settings}};
  return document.dump(2) + '\n';
}

std::string to_text(const advisor::Advice& advice) {
  std::string text = advice.headline + "\n\n";
  for (const std::string& reason : advice.reasons) text += reason + '\n';
  return text + '\n' + advice.settings;
}

class SizeCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("size", "Say how many workers a rate of jobs needs");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    command->add_option("--rate", demand_.rate, "Jobs a second that are wanted")->required()->option_text("JOBS");
    command->add_option("--latency", latency_, "Time that a job holds a worker, as in 50ms")
        ->required()
        ->option_text("TIME");
    command->add_option("--headroom", demand_.headroom, "Factor for variation [default: 1.5]")->option_text("FACTOR");
    command->add_option("--limit", limit_, "Jobs that the dependency takes at once [default: no limit]")
        ->option_text("JOBS");
    command->add_flag("--json", json_, "Print a JSON object");
    return command;
  }

  ExitCode run() override {
    const auto latency = parse_seconds(latency_);
    if (!latency) return complain(ExitCode::kUsage, "--latency: " + latency.error().detail);
    demand_.latency = *latency;
    if (limit_ && *limit_ < 1) return complain(ExitCode::kUsage, "--limit must be from 1 to 1000000");
    demand_.limit = limit_.value_or(0);
    auto sizing = advisor::size_for(demand_);
    if (!sizing) return complain(ExitCode::kUsage, "--" + sizing.error().field + " " + sizing.error().message);
    return print(*sizing);
  }

 private:
  ExitCode print(const advisor::Sizing& sizing) const {
    const advisor::Advice advice = advise(sizing, demand_);
    std::cout << (json_ ? to_json(demand_, sizing, advice) : to_text(advice)) << std::flush;
    return std::cout ? ExitCode::kSuccess : ExitCode::kFailure;
  }

  advisor::Demand demand_{.headroom = 1.5};
  std::optional<int> limit_;
  std::string latency_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_size_command() {
  return std::make_unique<SizeCommand>();
}

}  // namespace optimux::apps
