#include "apps/optimux/pool/simulate_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/pool/simulate_plan.hpp"
#include "apps/optimux/pool/simulation_curves.hpp"
#include "apps/optimux/pool/simulation_report.hpp"
#include "plot/svg.hpp"
#include "simulator/replay.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

namespace optimux::apps {
namespace {

using pool::simulator::Experiment;
using pool::simulator::Recording;

constexpr const char* kHelp =
    "A load of 1 is what the machine can just do. The loads, and how long they take:\n"
    "  step      0.1, and from 60 s on 0.8; 600 s\n"
    "  burst     0.1, and during the last 10 s of each minute 1.5; 600 s\n"
    "  sawtooth  rises evenly from 0 to 0.9 within a minute and falls back at once; 600 s\n"
    "  diurnal   a sine between 0.05 and 0.85 with a period of 600 s; 1200 s\n"
    "  FILE      a line a job: arrival, CPU time, waiting time, in seconds, with commas between them\n"
    "Policies: little, queue-length[:INTERVAL,COOLDOWN], spawn-on-submit[:IDLE], fixed:N, or all of them.\n"
    "Gates: none, cpu[:THREADS_PER_JOB], slots:N. With --policy all, both cpu and none by default.\n\n"
    "examples:\n"
    "  optimux pool simulate --load all --policy all --seeds 20\n"
    "  optimux pool simulate --load step --policy little --policy queue-length --gate cpu --plot step.svg\n"
    "  optimux pool simulate --load requests.csv --policy little --cpus 4 --csv curves.csv\n"
    "  optimux pool simulate --load burst --time-scale 0.2 --service-time 50ms --gate cpu --replay --plot "
    "replay.svg\n\n";

ExitCode refuse(const pool::ConfigError& error) {
  return complain(ExitCode::kUsage, error.field + " " + error.message);
}

/// For options without a sign, of which -1 would be the largest value.
std::string refuse_sign(const std::string& text) {
  return text.starts_with('-') ? "must not be negative" : "";
}

class SimulateCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("simulate", "Try scaling policies on a load, in virtual time");
    command->footer(std::string(kHelp) + kExitCodesHelp);
    declare_trial(*command);
    declare_machine(*command);
    declare_output(*command);
    return command;
  }

  ExitCode run() override {
    auto made = make_experiment(arguments_);
    if (!made) return refuse(made.error());
    const Experiment& experiment = *made;
    const bool is_single = experiment.policies.size() == 1 && experiment.gates.size() == 1;
    if (arguments_.replay && !(is_single && experiment.loads.size() == 1 && arguments_.seeds == 1)) {
      return complain(ExitCode::kUsage, "--replay needs one load, one policy, one gate and one seed");
    }
    if (experiment.loads.size() > 1 && !(plot_.empty() && csv_.empty())) {
      return complain(ExitCode::kUsage, "--plot and --csv need one load");
    }
    return arguments_.replay ? replay(experiment) : simulate(*made);
  }

 private:
  void declare_trial(CLI::App& command) {
    command.add_option("--load", arguments_.load, "What arrives: step, burst, sawtooth, diurnal, all or a trace file")
        ->capture_default_str()
        ->option_text("LOAD");
    command.add_option("--policy", arguments_.policies, "What decides, several times for a comparison [little]")
        ->allow_extra_args(false)
        ->option_text("POLICY");
    command.add_option("--gate", arguments_.gates, "What limits growth, several times for a comparison [none]")
        ->allow_extra_args(false)
        ->option_text("GATE");
    command.add_option("--seed", arguments_.seed, "First seed of what is random")
        ->capture_default_str()
        ->check(refuse_sign);
    command.add_option("--seeds", arguments_.seeds, "How many seeds, from the first on; figures are their medians")
        ->capture_default_str();
    command.add_option("--time-scale", arguments_.time_scale, "Length of a load over what it is by default")
        ->capture_default_str();
  }

  void declare_machine(CLI::App& command) {
    command.add_option("--cpus", arguments_.cpus, "CPUs [8; with --replay those of this machine]")->option_text("N");
    command.add_option("--service-time", arguments_.service_time, "Mean CPU time of a job, and after + its mean wait")
        ->capture_default_str()
        ->option_text("TIME[+TIME]");
    command.add_option("--variation", arguments_.variation, "Standard deviation over mean of both")
        ->capture_default_str();
    command.add_option("--min-workers", arguments_.min_workers, "Floor")->capture_default_str();
    command.add_option("--max-workers", arguments_.max_workers, "Cap [four a CPU]")->option_text("N");
    command.add_option("--queue", arguments_.queue, "Places in the queue")->capture_default_str()->check(refuse_sign);
    command.add_option("--start-up", arguments_.start_up, "Time from a worker's creation to its first job")
        ->capture_default_str()
        ->option_text("TIME");
  }

  void declare_output(CLI::App& command) {
    command.add_option("--csv", csv_, "Workers, queue and waits over time, of the first seed")->option_text("FILE");
    command.add_option("--plot", plot_, "The same as an SVG picture")->option_text("FILE.svg");
    command.add_flag("--replay", arguments_.replay, "Also run the load on a real pool, in real time, and compare");
    command.add_flag("--json", json_, "Figures as JSON");
  }

  ExitCode simulate(Experiment& experiment) {
    if (shows_progress()) {
      experiment.progress = [](std::size_t done, std::size_t all) {
        show("simulating " + std::to_string(done) + "/" + std::to_string(all));
      };
    }
    auto outcomes = run_experiment(experiment);
    clear_progress();
    if (!outcomes) return refuse(outcomes.error());
    if (json_) {
      std::cout << to_json(*outcomes, experiment.seeds);
    } else {
      print_table(std::cout, *outcomes);
    }
    return finish([&] { return curves_of(experiment); }, experiment);
  }

  ExitCode replay(const Experiment& experiment) {
    const SingleRun single = first_runs(experiment).front();
    auto simulated = pool::simulator::simulate(single.trace, single.scenario);
    if (!simulated) return refuse(simulated.error());
    std::function<void(pool::Duration)> progress;
    if (shows_progress()) {
      progress = [length = single.trace.length](pool::Duration passed) {
        show("replaying " + std::to_string(std::chrono::ceil<std::chrono::seconds>(length - passed).count()) +
             " s left");
      };
    }
    auto replayed = pool::simulator::replay(single.trace, single.scenario, progress);
    clear_progress();
    if (!replayed) return refuse(replayed.error());
    const auto before = report_on(*simulated, single.trace, single.capacity);
    const auto after = report_on(*replayed, single.trace, single.capacity);
    if (json_) {
      std::cout << differences_to_json(before, after);
    } else {
      print_differences(std::cout, before, after);
    }
    return finish(
        [&] {
          return std::vector<Curve>{{"simulated", *std::move(simulated), false},
                                    {"replayed", *std::move(replayed), true}};
        },
        experiment);
  }

  static std::vector<Curve> curves_of(const Experiment& experiment) {
    std::vector<Curve> curves;
    for (const SingleRun& run : first_runs(experiment)) {
      const bool several = experiment.gates.size() > 1;
      const std::string& gate = run.scenario.gate.name();
      auto recording = pool::simulator::simulate(run.trace, run.scenario);
      curves.push_back(
          {several ? run.policy + ", gate " + gate : run.policy, *std::move(recording), several && gate == "none"});
    }
    return curves;
  }

  ExitCode finish(const std::function<std::vector<Curve>()>& make_curves, const Experiment& experiment) {
    if (!std::cout.flush()) return complain(ExitCode::kFailure, "standard output does not take everything");
    if (csv_.empty() && plot_.empty()) return ExitCode::kSuccess;
    const std::vector<Curve> curves = make_curves();
    if (!csv_.empty() && !write(csv_, [&](std::ostream& out) { write_csv(out, curves); })) return ExitCode::kFailure;
    const auto draw = [&](std::ostream& out) {
      out << pool::plot::to_svg(chart_of(curves, title(experiment), subtitle(experiment)));
    };
    if (!plot_.empty() && !write(plot_, draw)) return ExitCode::kFailure;
    return ExitCode::kSuccess;
  }

  std::string title(const Experiment& experiment) const {
    return "Load " + experiment.loads.front().name + (arguments_.replay ? ", simulated and replayed" : "");
  }

  std::string subtitle(const Experiment& experiment) const {
    std::string text = std::to_string(experiment.pool.machine.cpus) + " CPUs, jobs of " + arguments_.service_time +
                       ", seed " + std::to_string(arguments_.seed);
    if (experiment.policies.size() == 1) text += ", policy " + experiment.policies.front().name;
    if (experiment.gates.size() == 1) text += ", gate " + experiment.gates.front().name();
    return text;
  }

  static bool write(const std::string& path, const std::function<void(std::ostream&)>& content) {
    std::ofstream file(path, std::ios::binary);
    content(file);
    if (file.flush()) return true;
    complain(ExitCode::kFailure, "'" + path + "' cannot be written");
    return false;
  }

  bool shows_progress() const { return !json_ && ::isatty(STDERR_FILENO) == 1; }
  static void show(const std::string& text) { std::cerr << "\r\033[K" << text << std::flush; }
  void clear_progress() const {
    if (shows_progress()) std::cerr << "\r\033[K" << std::flush;
  }

  SimulateArguments arguments_;
  std::string csv_;
  std::string plot_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_simulate_command() {
  return std::make_unique<SimulateCommand>();
}

}  // namespace optimux::apps
