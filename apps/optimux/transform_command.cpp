#include "apps/optimux/transform_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/engine.hpp"
#include "apps/optimux/settings/option_flags.hpp"
#include "apps/optimux/transform/batch.hpp"
#include "apps/optimux/transform/input_source.hpp"
#include "apps/optimux/transform/interrupt.hpp"
#include "apps/optimux/transform/report.hpp"
#include "apps/optimux/transform/transform_plan.hpp"
#include "source/poll_reactor.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "The output is a folder if it is one, ends with a slash, or there are several inputs or sizes. Names in it follow\n"
    "--name with {name}, {stem}, {ext}, {size} (as asked for), {index}, {width} and {height} (as rendered).\n\n"
    "examples:\n"
    "  optimux transform a.jpg -o a.webp --sizes 300x0 --quality 60\n"
    "  optimux transform photos -r -o small/ --sizes 300x0,600x0 --format webp --skip-existing\n"
    "  optimux transform *.png -o out/ --format avif --name '{stem}-{width}x{height}.{ext}' --json\n"
    "  curl -s https://example.org/a.jpg | optimux transform - -o - --sizes 300x0 > a.jpg\n\n";

// What parameters take where there is no client whose wishes could be asked for, and no page that takes JSON.
struct Narrowed {
  std::string_view name;
  std::string_view values;
  std::string_view meaning;
  std::string_view default_value;
};
constexpr Narrowed kNarrowed[] = {
    {"format", "jpeg, jpg, png, webp, avif or gif", "What is encoded.", "the extension of OUT, or the source's own"},
    {"encoder", "stream or progress", "progress makes --progressive the default.", "stream"},
};

std::string describe(const service::ParameterDescription& parameter) {
  const auto* const found = std::ranges::find(kNarrowed, parameter.name, &Narrowed::name);
  const Narrowed shown = found != std::end(kNarrowed)
                             ? *found
                             : Narrowed{parameter.name, parameter.values, parameter.meaning, parameter.default_value};
  return std::string(shown.meaning) + " [" + std::string(shown.values) +
         "; default: " + std::string(shown.default_value) + "]";
}

// The options that a command without a server and without a cache has a use for.
bool concerns_transform(const Option& option) {
  constexpr std::string_view kUnused[] = {"root",         "file_queue",   "fetching_bytes",         "image_queue",
                                          "memory_cache", "cache_time",   "stale_while_revalidate", "stale_if_error",
                                          "source_bytes", "source_cache", "source_cache_time",      "negative_cache",
                                          "memory_limit"};
  constexpr OptionGroup kUsed[] = {OptionGroup::kSources, OptionGroup::kImages, OptionGroup::kImagePool,
                                   OptionGroup::kCache};
  return std::ranges::find(kUsed, option.group) != std::end(kUsed) &&
         std::ranges::find(kUnused, option.key) == std::end(kUnused);
}

constexpr const char* kTerminal =
    "-o - would write a picture to this terminal; redirect it (-o - > FILE), or name a file (-o FILE)";

// A server refuses what it has no room for; a batch has room for all that it lets in, and lets in no more.
constexpr int kMaxParallel = 500;

Settings for_batches(Settings settings) {
  settings.objects = {};                    // Nothing of it can be named here.
  settings.service.memory_cache_bytes = 0;  // No rendition is asked for twice.
  settings.service.source_cache_bytes = 0;  // Nor is a source.
  settings.service.negative_cache = {};
  settings.disk_cache.folder.clear();
  settings.service.memory_limit = std::numeric_limits<std::uint64_t>::max();  // A file that is refused is lost.
  settings.service.source_bytes = kMaxParallel * settings.source.max_source_bytes;
  settings.origin.max_bytes_under_way = settings.service.source_bytes;
  settings.image_pool.queue = kMaxParallel;
  return settings;
}

std::string why_nothing(const InputList& list) {
  if (list.results == 0) return "there is no image in these folders";
  return "there is no image in these folders but what is named like a result of this format";
}

Engine::FileBackend input_backend(const Settings& settings) {
  return [limit = settings.source.max_source_bytes](
             source::Reactor& reactor, source::BlockingRunner runner,
             source::ObjectStore*) -> base::Result<std::unique_ptr<source::Source>> {
    return std::make_unique<InputSource>(limit, reactor, std::move(runner));
  };
}

// Counted as not made: the wait for the reader of a pipe ended with the signal.
bool was_cancelled(const Outcome& outcome) {
  return outcome.error && outcome.error->code == base::name_of(base::ErrorCode::kCancelled);
}

class TransformCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("transform", "Make renditions of files, folders, URLs and standard input");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    command->add_option("IN", arguments_.inputs, "Files, folders, http(s) URLs, or - for standard input")->required();
    command->add_option("-o,--output", arguments_.output, "File or folder; - for standard output")
        ->required()
        ->option_text("OUT");
    const auto keep_name = [this](const CLI::results_t& texts) {
      arguments_.name = texts.back();
      return true;
    };
    command
        ->add_option("--name", keep_name,
                     "How files in a folder are called [default: {stem}.{ext}, or "
                     "{stem}-{size}.{ext} for several sizes]")
        ->option_text("TEMPLATE");
    command->add_flag("-r,--recursive", arguments_.recursive, "Descend into folders; what is below is kept below");
    auto* overwrite =
        command->add_flag("--overwrite", arguments_.overwrite, "Replace files that exist; never an input");
    command->add_flag("--skip-existing", arguments_.skip_existing, "Leave files that exist")->excludes(overwrite);
    command->add_flag("--json", json_, "Report on standard output, one JSON object a line");
    command->add_flag("-q,--quiet", quiet_, "Print failures only");
    declare_parameters(*command);
    flags_.declare(*command, concerns_transform);
    return command;
  }

  ExitCode run() override {
    const auto configuration = flags_.load_and_check_paths();
    if (!configuration) return ExitCode::kConfiguration;
    const auto plan = make_transform_plan(arguments_);
    if (!plan) return complain(ExitCode::kUsage, plan.error());
    if (plan->output.kind == OutputOptions::Kind::kStandardOutput) {
      if (json_) return complain(ExitCode::kUsage, "--json and -o - both want standard output");
      if (::isatty(STDOUT_FILENO) == 1) return complain(ExitCode::kUsage, kTerminal);
    }
    if (plan->inputs.inputs.empty()) return complain(ExitCode::kFailure, why_nothing(plan->inputs));
    return transform(configuration->settings(), *plan);
  }

 private:
  void declare_parameters(CLI::App& command) {
    for (const auto& parameter : service::transform_parameter_descriptions()) {
      const auto keep = [this, name = std::string(parameter.name)](const CLI::results_t& values) {
        for (const std::string& value : values) arguments_.parameters.push_back({name, value});
        return true;
      };
      CLI::Option* flag = command.add_option("--" + std::string(parameter.name), keep, describe(parameter));
      flag->group("Renditions")->option_text("VALUE");
      flag->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
      if (parameter.values == "true or false") flag->type_size(0)->default_str("true")->option_text("[=BOOL]");
    }
  }

  ExitCode transform(const Settings& settings, const TransformPlan& plan) {
    Interrupt interrupt;  // Before any thread is started.
    const auto log = base::make_null_log();
    auto reactor = source::PollReactor::make();
    if (!reactor) return complain(ExitCode::kConfiguration, reactor.error());
    auto engine = Engine::make(for_batches(settings), **reactor, *log, input_backend(settings));
    if (!engine) return complain(ExitCode::kConfiguration, engine.error());
    return run_batch(plan, **reactor, **engine, interrupt);
  }

  ExitCode run_batch(const TransformPlan& plan, source::PollReactor& reactor, Engine& engine, Interrupt& interrupt) {
    Report report({.json = json_,
                   .quiet = quiet_,
                   .progress = shows_progress(),
                   .expected = plan.inputs.inputs.size() * plan.spec.sizes.size()},
                  std::cout, std::cerr);
    OutputOptions options = plan.output;
    options.interrupt = interrupt.descriptor();
    OutputPlan output(std::move(options), plan.spec, plan.inputs.identities);
    Batch batch(plan.inputs.inputs, plan.spec, parallel(engine), output, engine.service(), reactor,
                {.report =
                     [&](const Outcome& outcome) {
                       if (!was_cancelled(outcome)) report.add(outcome);
                     },
                 .finished = [&] { reactor.stop(); }});
    bool was_interrupted = false;
    interrupt.watch(reactor, [&] {
      was_interrupted = true;
      batch.cancel();
      reactor.stop();
    });
    reactor.post([&] { batch.start(); });
    reactor.run();
    interrupt.unwatch(reactor);
    if (interrupt.take()) was_interrupted = true;  // One that ended the last write has not reached the loop.
    report.finish(plan.inputs.passed_over, was_interrupted);
    return was_interrupted ? ExitCode::kInterrupted : report.exit_code();
  }

  // Twice the workers: while one half is being rendered, the other is being read or written.
  static std::size_t parallel(const Engine& engine) {
    return static_cast<std::size_t>(std::clamp(2 * engine.pool().figures().workers_max, 1, kMaxParallel));
  }

  bool shows_progress() const { return !json_ && !quiet_ && ::isatty(STDERR_FILENO) == 1; }

  TransformArguments arguments_;
  OptionFlags flags_;
  bool json_ = false;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_transform_command() {
  return std::make_unique<TransformCommand>();
}

}  // namespace optimux::apps
