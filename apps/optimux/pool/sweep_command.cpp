#include "apps/optimux/pool/sweep_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/pool/file_text.hpp"
#include "apps/optimux/pool/seconds.hpp"
#include "apps/optimux/pool/sweep/job_body.hpp"
#include "apps/optimux/pool/sweep/sweep.hpp"
#include "apps/optimux/pool/sweep/sweep_report.hpp"
#include "optimux/pool/cpu_count.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <iostream>
#include <string>

namespace optimux::apps {
namespace {

// What the command says about the curve; 1 when jobs cannot be run. A command line that cannot be understood has a code
// of its own, that of sysexits.h, because the usual one says something else here.
constexpr auto kAnswered = ExitCode::kSuccess;
constexpr auto kStillRising = static_cast<ExitCode>(2);
constexpr auto kTooNoisy = static_cast<ExitCode>(3);
constexpr auto kMisuse = static_cast<ExitCode>(64);

constexpr const char* kHelp =
    "jobs:\n"
    "  burn:ROUNDS        computes; 20000 rounds are about 7 us\n"
    "  sleep:TIME         waits, as in sleep:1ms\n"
    "  mixed:ROUNDS,TIME  computes, then waits\n"
    "  exec:COMMAND       runs a program and waits for its end. No shell: blanks part the words, quotes and\n"
    "                     backslashes keep them together. Its output is thrown away\n"
    "  url:URL            fetches http://127.0.0.1:… over a kept connection, without redirections. Other machines\n"
    "                     only with --i-own-this-host: it is a load test\n\n"
    "examples:\n"
    "  optimux pool sweep --job burn:2000000\n"
    "  optimux pool sweep --job sleep:1ms --sizes 1,10,100,1000 --rounds 9 --plot sleep.svg\n"
    "  optimux pool sweep --job \"exec:vipsthumbnail 'my photo.jpg' -o /dev/null[.jpg]\" --sizes 1,2,4,8\n"
    "  optimux pool sweep --job 'url:http://127.0.0.1:8811/optimux/assets/a.jpg?sizes=300x0' --json > sweep.json\n"
    "  optimux pool sweep --from sweep.json --plot sweep.svg\n\n"
    "exit codes: 0 a number of workers is recommended, 1 the jobs cannot be run, 2 still rising at the largest\n"
    "size, 3 too noisy to tell, 64 usage";

ExitCode code_of(const base::Error& error) {
  return error.code == base::ErrorCode::kInvalidParameter ? kMisuse : ExitCode::kFailure;
}

ExitCode code_of(const pool::advisor::Analysis& analysis) {
  if (analysis.is_answered) return kAnswered;
  return analysis.plateau.verdict == pool::advisor::Verdict::kStillRising ? kStillRising : kTooNoisy;
}

class SweepCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("sweep", "Measure a job in pools of many sizes and say which to use");
    command->footer(kHelp);
    auto* job = command->add_option("--job", job_, "What to run (see below)")->option_text("JOB");
    auto* from = command->add_option("--from", from_, "Analyse the output of --json instead; - for standard input");
    from->option_text("FILE")->excludes(job);
    command->add_option("--sizes", sizes_, "Pool sizes [default: around the CPUs for computing jobs, else 1 to 100]")
        ->option_text("N,N,…")
        ->excludes(from);
    command->add_option("--rounds", plan_.rounds, "Measurements of each size [default: 5]")->option_text("N");
    command->add_option("--time", time_, "Length of one measurement, about [default: 200ms]")->option_text("TIME");
    command->add_option("--job-timeout", job_timeout_, "After which a program or a fetch is given up [default: 10s]")
        ->option_text("TIME");
    command->add_flag("--i-own-this-host", rules_.may_leave_the_host, "Let url: name another machine");
    command->add_flag("--json", json_, "Print a JSON object");
    command->add_option("--plot", plot_, "Draw the curve into this SVG file")->option_text("FILE");
    return command;
  }

  [[nodiscard]] ExitCode usage_code() const override { return kMisuse; }

  ExitCode run() override {
    if (job_.empty() == from_.empty()) return complain(kMisuse, "one of --job and --from is needed");
    const auto report = from_.empty() ? measure() : read();
    if (!report) return complain(code_of(report.error()), report.error());
    return tell(*report);
  }

 private:
  base::Result<SweepReport> read() const {
    return read_text(from_).and_then([](const std::string& text) { return read_report(text); });
  }

  base::Result<SweepReport> measure() {
    const auto job = parse_job(job_).map_error([](const base::Error& error) {
      return base::Error{error.code, "--job: " + error.detail, {}};
    });
    if (!job) return base::fail(job.error());
    if (const auto status = read_times(); !status) return base::fail(status.error());
    if (const auto status = read_sizes(); !status) return base::fail(status.error());
    const pool::CpuCount cpus = pool::count_cpus();
    plan_.cpus = cpus.cpus;
    auto result = run_sweep(plan_, bench_for(make_job(*job, rules_)), progress());
    if (shows_progress()) std::cerr << "\r\x1b[K" << std::flush;
    if (!result) return base::fail(result.error());
    return make_report(job_, cpus.source, *std::move(result));
  }

  base::Status read_times() {
    const auto time = parse_seconds(time_);
    if (!time) return base::fail(time.error().code, "--time: " + time.error().detail);
    const auto timeout = parse_seconds(job_timeout_);
    if (!timeout) return base::fail(timeout.error().code, "--job-timeout: " + timeout.error().detail);
    plan_.seconds = *time;
    rules_.timeout = *timeout;
    return {};
  }

  base::Status read_sizes() {
    if (sizes_.empty()) return {};
    auto sizes = parse_sizes(sizes_);
    if (!sizes) return base::fail(sizes.error());
    plan_.sizes = *std::move(sizes);
    return {};
  }

  SweepBench bench_for(const JobMaker& make) const {
    return {.run_alone = [make, seconds = plan_.seconds] { return run_alone(make, seconds); },
            .run_trial = [make, cpus = plan_.cpus](const Trial& trial) { return run_trial(make, trial, cpus); }};
  }

  SweepProgress progress() const {
    if (!shows_progress()) return [](int, int) {};
    return [rounds = plan_.rounds](int round, int workers) {
      std::cerr << "\r\x1b[Kround " << round << " of " << rounds << ": " << workers << " workers" << std::flush;
    };
  }

  ExitCode tell(const SweepReport& report) const {
    if (!plot_.empty()) {
      if (const auto status = write_text(plot_, to_svg(report)); !status) {
        return complain(ExitCode::kFailure, status.error());
      }
    }
    std::cout << (json_ ? to_json(report) : to_text(report)) << std::flush;
    return std::cout ? code_of(report.analysis) : ExitCode::kFailure;
  }

  static bool shows_progress() { return ::isatty(STDERR_FILENO) == 1; }

  SweepPlan plan_;
  JobRules rules_;
  std::string job_, from_, plot_, sizes_;
  std::string time_ = "200ms", job_timeout_ = "10s";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sweep_command() {
  return std::make_unique<SweepCommand>();
}

}  // namespace optimux::apps
