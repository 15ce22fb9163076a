// The load generator of the benchmarks: `optimux_load --port P --targets FILE … --output FILE.csv`. Writes one CSV line
// a request, and one JSON object about the run on standard output. Exit code: 0 when the run came to its end, whatever
// the answers were; 1 when the file cannot be written; 2 for a wrong command line.
#include <sys/resource.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "load/load_generator.hpp"
#include "load/load_options.hpp"

namespace optimux::bench {
namespace {

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kComplete: return "complete";
    case Outcome::kRefused: return "refused";
    case Outcome::kCutOff: return "cut_off";
    case Outcome::kMalformed: return "malformed";
    case Outcome::kTimedOut: return "timed_out";
  }
  return "unknown";
}

bool write_samples(const std::string& path, const std::vector<Sample>& samples) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  if (!file) return false;
  std::fputs("target,due_us,sent_us,head_us,first_us,last_us,status,bytes,retry_after,outcome\n", file.get());
  for (const Sample& sample : samples) {
    std::fprintf(file.get(), "%zu,%lld,%lld,%lld,%lld,%lld,%d,%llu,%d,%s\n", sample.target,
                 static_cast<long long>(sample.due), static_cast<long long>(sample.sent),
                 static_cast<long long>(sample.head), static_cast<long long>(sample.first),
                 static_cast<long long>(sample.last), sample.status, static_cast<unsigned long long>(sample.bytes),
                 sample.retry_after ? 1 : 0, name_of(sample.outcome));
  }
  return std::ferror(file.get()) == 0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int run(int argc, char** argv) {
  int exit_code = 0;
  const auto options = read_load_options(argc, argv, exit_code);
  if (!options) return exit_code;
  const RunClock clock;
  const std::vector<Sample> samples = LoadGenerator(*options).run();
  const double wall = static_cast<double>(clock.now()) / 1e6;
  if (!write_samples(options->output, samples)) {
    std::perror(options->output.c_str());
    return 1;
  }
  std::printf("{\"requests\": %zu, \"wall_seconds\": %.6f, \"own_cpu_seconds\": %.6f}\n", samples.size(), wall,
              own_cpu_seconds());
  return 0;
}

}  // namespace
}  // namespace optimux::bench

int main(int argc, char** argv) {
  return optimux::bench::run(argc, argv);
}
