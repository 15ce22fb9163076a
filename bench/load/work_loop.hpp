#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace optimux::bench {

/// What a bare loop renders: the same for each way of doing it.
struct WorkLoopOptions {
  std::vector<std::string> files;  ///< Source files, taken in turn.
  std::size_t renditions = 0;      ///< To make in all.
  std::size_t threads = 1;
  int width = 300;                ///< Pixels; the height is free.
  std::string format = "webp";    ///< `webp` or `jpeg`.
  int quality = 60;               ///< 1 to 100.
  std::string decode = "shrink";  ///< `shrink`, `full` or `full-lanczos`; see bare_vips.cpp.
};

/// Reads the command line. Nothing when it is wrong or asks for help; `exit_code` and a message say which.
std::optional<WorkLoopOptions> read_work_loop_options(int argc, char** argv, const std::string& purpose,
                                                      int& exit_code);

/// Makes one rendition of the file's bytes and returns its length in bytes, 0 on failure. Called by all threads at
/// once.
using Render = std::function<std::size_t(const std::string& file)>;

/// Renders `options.renditions` times in `options.threads` threads, after one rendition in each thread that is not
/// counted (libraries set themselves up at first use). Prints one JSON object: renditions, cpu_seconds (user and
/// system, of this process, for the counted ones), wall_seconds, bytes. Returns the exit code: 1 when a rendition
/// failed.
int run_work_loop(const WorkLoopOptions& options, const Render& render);

/// The whole file; empty when it cannot be read.
std::vector<std::byte> read_file(const std::string& path);

}  // namespace optimux::bench
