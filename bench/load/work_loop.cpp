#include "load/work_loop.hpp"

#include <sys/resource.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include <CLI/CLI.hpp>

namespace optimux::bench {
namespace {

struct Reading {
  double cpu = 0;   ///< Seconds, user and system.
  double wall = 0;  ///< Seconds.
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

Reading read_clocks() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .wall = std::chrono::duration<double>(wall).count()};
}

/// What the threads of one loop share.
struct Progress {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failed{0};
  std::atomic<std::size_t> bytes{0};
};

void render_share(const WorkLoopOptions& options, const Render& render, Progress& progress) {
  for (std::size_t i = progress.next++; i < options.renditions; i = progress.next++) {
    const std::size_t bytes = render(options.files[i % options.files.size()]);
    progress.bytes += bytes;
    if (bytes == 0) ++progress.failed;
  }
}

}  // namespace

std::optional<WorkLoopOptions> read_work_loop_options(int argc, char** argv, const std::string& purpose,
                                                      int& exit_code) {
  WorkLoopOptions options;
  CLI::App app(purpose);
  app.add_option("--renditions", options.renditions, "Renditions to make in all")->required();
  app.add_option("--threads", options.threads, "Threads that render")->check(CLI::Range(1, 256));
  app.add_option("--width", options.width, "Width of a rendition in pixels")->check(CLI::Range(1, 16'384));
  app.add_option("--format", options.format, "Format of a rendition")->check(CLI::IsMember({"webp", "jpeg"}));
  app.add_option("--quality", options.quality, "1 to 100")->check(CLI::Range(1, 100));
  app.add_option("--decode", options.decode, "How much is decoded")
      ->check(CLI::IsMember({"shrink", "full", "full-lanczos"}));
  app.add_option("files", options.files, "Source files, taken in turn")->required()->check(CLI::ExistingFile);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error);
    return std::nullopt;
  }
  return options;
}

int run_work_loop(const WorkLoopOptions& options, const Render& render) {
  Progress progress;
  Reading begin;
  std::barrier warm(static_cast<std::ptrdiff_t>(options.threads), [&begin]() noexcept { begin = read_clocks(); });
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < options.threads; ++i) {
      threads.emplace_back([&, i] {
        if (render(options.files[i % options.files.size()]) == 0) ++progress.failed;
        warm.arrive_and_wait();
        render_share(options, render, progress);
      });
    }
  }
  const Reading end = read_clocks();
  std::printf("{\"renditions\": %zu, \"cpu_seconds\": %.6f, \"wall_seconds\": %.6f, \"bytes\": %zu}\n",
              options.renditions, end.cpu - begin.cpu, end.wall - begin.wall, progress.bytes.load());
  return progress.failed == 0 ? 0 : 1;
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file ? bytes : std::vector<std::byte>{};
}

}  // namespace optimux::bench
