#include "apps/optimux/h2/simulate_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/h2/load_report.hpp"
#include "apps/optimux/pool/file_text.hpp"
#include "base/quantity.hpp"
#include "http/scheduling_policy_name.hpp"
#include "plot/svg.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace optimux::apps {
namespace {

constexpr const char* kHelp =
    "Policies:\n"
    "  phases   all heads first, then all first scans, then all good parts, then the rest; by urgency in each\n"
    "  rfc9218  by urgency; incremental ones of the same urgency share alike\n"
    "  fair     all share by weight\n"
    "  fifo     one after another\n"
    "The figures are times from the begin of the load until the client has all heads, first scans, good parts and\n"
    "whole images, and the speed index, the integral of what is not seen yet.\n\n"
    "examples:\n"
    "  optimux h2 simulate\n"
    "  optimux h2 simulate --images 100 --rate 5 --seeds 20\n"
    "  optimux h2 simulate --policy phases --policy fifo --plot page.svg --csv page.csv\n"
    "  optimux h2 simulate --blocked 0.1 --buffer 1MiB --json\n\n";

constexpr double kBytesOfMegabit = 1e6 / 8;

class SimulateCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("simulate", "Load a page of images over one line, in virtual time");
    command->footer(std::string(kHelp) + kExitCodesHelp);
    declare_page(*command);
    declare_link(*command);
    declare_output(*command);
    return command;
  }

  ExitCode run() override {
    if (const auto problem = read_arguments(); !problem.empty()) return complain(ExitCode::kUsage, problem);
    const std::vector<PolicyOutcome> outcomes = experiment_.run();
    if (json_) {
      std::cout << to_json(experiment_, outcomes);
    } else {
      print_tables(std::cout, experiment_, outcomes);
    }
    if (!std::cout.flush()) return complain(ExitCode::kFailure, "standard output does not take everything");
    return write_files(outcomes);
  }

 private:
  void declare_page(CLI::App& command) {
    PageShape& shape = experiment_.shape;
    command.add_option("--images", shape.images, "Images of the page: 1 to 1000 [20]")
        ->check(CLI::Range(1, 1'000))
        ->option_text("N");
    command.add_option("--size", size_, "Mean size of an image [90kB]")->option_text("BYTES");
    command
        .add_option("--variation", shape.size_variation,
                    "Standard deviation of the sizes over their mean: 0 to 3 [0.6]")
        ->check(CLI::Range(0.0, 3.0))
        ->option_text("RATIO");
    command
        .add_option("--blocked", shape.blocked,
                    "Share of the images whose window is shut for a quarter of the time [0]")
        ->check(CLI::Range(0.0, 1.0))
        ->option_text("SHARE");
    command.add_flag("--no-late", no_late_, "Without the urgent image that is asked for at half time");
    command.add_option("--policy", policies_, "phases, rfc9218, fair or fifo; several times for some of them [all]")
        ->allow_extra_args(false)
        ->option_text("POLICY");
    command.add_option("--seed", experiment_.first_seed, "First seed of what is random [1]")
        ->check(CLI::NonNegativeNumber)
        ->option_text("N");
    command
        .add_option("--seeds", experiment_.seeds, "How many seeds, from the first on; figures are their medians [1]")
        ->check(CLI::Range(1, 1'000))
        ->option_text("N");
  }

  void declare_link(CLI::App& command) {
    command.add_option("--rate", rate_, "Rate of the line in Mbit/s: 0.01 to 100000 [3]")
        ->check(CLI::Range(0.01, 100'000.0))
        ->option_text("RATE");
    command.add_option("--round-trip", round_trip_, "Time to the server and back [50ms]")->option_text("TIME");
    command.add_option("--buffer", buffer_, "What the server hands to the kernel ahead of the line [16KiB]")
        ->option_text("BYTES");
  }

  void declare_output(CLI::App& command) {
    command.add_option("--csv", csv_, "The times of each image, of the first seed")->option_text("FILE");
    command.add_option("--plot", plot_, "Waterfalls and what is seen over time, as an SVG picture")
        ->option_text("FILE.svg");
    command.add_flag("--json", json_, "Figures as JSON");
  }

  // What is wrong with the arguments; empty when nothing is.
  std::string read_arguments() {
    const auto size = base::parse_bytes(size_);
    if (!size || *size < 10'000 || *size > 1'000'000'000) return "--size: a size from 10kB to 1GB, as in 90kB";
    const auto round_trip = base::parse_duration(round_trip_);
    if (!round_trip || *round_trip > std::chrono::minutes(1)) return "--round-trip: a time of at most 1m, as in 50ms";
    const auto buffer = base::parse_bytes(buffer_);
    if (!buffer || *buffer > 1'000'000'000) return "--buffer: a size of at most 1GB, as in 16KiB";
    experiment_.shape.mean_size = static_cast<double>(*size);
    experiment_.shape.has_late_request = !no_late_;
    experiment_.link = {rate_ * kBytesOfMegabit, std::chrono::duration<double>(*round_trip).count(), *buffer};
    return read_policies();
  }

  std::string read_policies() {
    for (const std::string& name : policies_) {
      const auto policy = http::parse_scheduling_policy(name);
      if (!policy) return "--policy: '" + name + "' is none of phases, rfc9218, fair and fifo";
      experiment_.policies.push_back(*policy);
    }
    if (policies_.empty()) experiment_.policies.assign(kAllPolicies.begin(), kAllPolicies.end());
    return "";
  }

  ExitCode write_files(const std::vector<PolicyOutcome>& outcomes) const {
    std::ostringstream csv;
    write_csv(csv, experiment_, outcomes);
    if (!csv_.empty() && !write(csv_, csv.str())) return ExitCode::kFailure;
    if (!plot_.empty() && !write(plot_, pool::plot::to_svg(chart_of(experiment_, outcomes)))) return ExitCode::kFailure;
    return ExitCode::kSuccess;
  }

  static bool write(const std::string& path, const std::string& text) {
    const auto written = write_text(path, text);
    if (!written) complain(ExitCode::kFailure, written.error());
    return written.has_value();
  }

  LoadExperiment experiment_;
  std::string size_ = "90kB";
  std::string round_trip_ = "50ms";
  std::string buffer_ = "16KiB";
  double rate_ = 3;
  std::vector<std::string> policies_;
  bool no_late_ = false;
  std::string csv_;
  std::string plot_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_h2_simulate_command() {
  return std::make_unique<SimulateCommand>();
}

}  // namespace optimux::apps
