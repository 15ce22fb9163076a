#include "apps/optimux/pool/shapes_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/pool/file_text.hpp"
#include "apps/optimux/pool/shapes/shapes_report.hpp"
#include "apps/optimux/pool/shapes/stages.hpp"
#include "apps/optimux/process_memory.hpp"
#include "optimux/pool/cpu_count.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "Clients ask again as soon as they have their answer. Each request is fetched, then processed: with --image, a\n"
    "file is read after the delay of --fetch, and a WebP of 120 x 240 made of it.\n\n"
    "shapes: dispatcher, synchronous, one-queue-1, one-queue-4, two-queues-4-4, two-queues-2-4, demand, early-flush,\n"
    "scaler\n\n"
    "examples:\n"
    "  optimux pool shapes --image photo.jpg\n"
    "  optimux pool shapes --fetch sleep:70ms --process burn:2000000000 --plot shapes.svg\n"
    "  optimux pool shapes --only dispatcher,scaler --process burn:20000 --fetch burn:1 --requests 10000 --json\n\n";

ExitCode fail_with(const base::Error& error) {
  const bool is_misuse = error.code == base::ErrorCode::kInvalidParameter;
  return complain(is_misuse ? ExitCode::kUsage : ExitCode::kFailure, error);
}

base::Result<JobSpec> parse_stage(const std::string& option, const std::string& text) {
  return parse_job(text).map_error([&](const base::Error& error) {
    return base::Error{error.code, option + ": " + error.detail, {}};
  });
}

class ShapesCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("shapes", "Compare ways to spread work over threads");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    auto* image = command->add_option("--image", image_, "Process this picture")->option_text("FILE");
    command->add_option("--fetch", fetch_, "The first stage, as a job of pool sweep [default: sleep:70ms]")
        ->option_text("JOB");
    command->add_option("--process", process_, "The second stage [default: burn:200000000]")
        ->option_text("JOB")
        ->excludes(image);
    command->add_option("--only", only_, "Some of the shapes")->delimiter(',')->option_text("SHAPE,…");
    command->add_option("--clients", plan_.clients, "Clients [default: 8]")->option_text("N");
    command->add_option("--requests", plan_.requests, "Requests a round [default: 40]")->option_text("N");
    command->add_option("--rounds", plan_.rounds, "Rounds through all shapes [default: 3]")->option_text("N");
    command->add_flag("--json", json_, "Print a JSON object");
    command->add_option("--plot", plot_, "Draw the comparison into this SVG file")->option_text("FILE");
    return command;
  }

  ExitCode run() override {
    if (const auto status = choose_shapes(); !status) return fail_with(status.error());
    const auto stages = make_stages();
    if (!stages) return fail_with(stages.error());
    auto results = run_experiment(plan_, *stages, progress());
    if (shows_progress()) std::cerr << "\r\x1b[K" << std::flush;
    if (!results) return fail_with(results.error());
    return tell({work(), pool::count_cpus().cpus, plan_, *std::move(results)});
  }

 private:
  base::Status choose_shapes() {
    const auto& all = all_shapes();
    if (only_.empty()) plan_.shapes = all;
    for (const std::string& name : only_) {
      const auto kind = std::find_if(all.begin(), all.end(), [&](const auto& shape) { return shape.name == name; });
      if (kind == all.end()) {
        return base::fail(base::ErrorCode::kInvalidParameter, "--only: there is no shape '" + name + "'; see --help");
      }
      plan_.shapes.push_back(*kind);
    }
    return {};
  }

  base::Result<Stages> make_stages() {
    const auto fetch = parse_stage("--fetch", fetch_);
    if (!fetch) return base::fail(fetch.error());
    if (!image_.empty()) return make_image_stages(*fetch);
    const auto process = parse_stage("--process", process_);
    if (!process) return base::fail(process.error());
    return made_up_stages(*fetch, *process);
  }

  base::Result<Stages> make_image_stages(const JobSpec& fetch) {
    const auto* delay = std::get_if<SleepJob>(&fetch);
    if (delay == nullptr) {
      return base::fail(base::ErrorCode::kInvalidParameter, "--fetch takes sleep:TIME with --image");
    }
    set_up_allocator();
    if (const auto ready = media::initialise_media("optimux"); !ready) return base::fail(ready.error());
    executor_ = media::make_in_process_executor({});
    media::RenderSpec spec;
    spec.sizes = {{.width = 120, .height = 240}};
    spec.format = media::Format::kWebp;
    return image_stages(image_, delay->seconds, spec, *executor_);
  }

  std::string work() const { return "fetch " + fetch_ + ", process " + (image_.empty() ? process_ : image_name()); }

  // The name alone: a report does not want to know where somebody keeps his pictures.
  std::string image_name() const { return image_.substr(image_.find_last_of('/') + 1); }

  ExperimentProgress progress() const {
    if (!shows_progress()) return [](int, const ShapeKind&) {};
    return [rounds = plan_.rounds](int round, const ShapeKind& kind) {
      std::cerr << "\r\x1b[Kround " << round << " of " << rounds << ": " << kind.title << std::flush;
    };
  }

  ExitCode tell(const ShapesReport& report) const {
    if (!plot_.empty()) {
      if (const auto status = write_text(plot_, to_svg(report)); !status) return fail_with(status.error());
    }
    std::cout << (json_ ? to_json(report) : to_text(report)) << std::flush;
    return std::cout ? ExitCode::kSuccess : ExitCode::kFailure;
  }

  static bool shows_progress() { return ::isatty(STDERR_FILENO) == 1; }

  ExperimentPlan plan_;
  std::unique_ptr<media::Executor> executor_;
  std::vector<std::string> only_;
  std::string image_, plot_;
  std::string fetch_ = "sleep:70ms", process_ = "burn:200000000";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_shapes_command() {
  return std::make_unique<ShapesCommand>();
}

}  // namespace optimux::apps
