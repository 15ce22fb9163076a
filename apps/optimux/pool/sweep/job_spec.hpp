#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace optimux::apps {

/// A job that computes: so many rounds of integer arithmetic that no compiler can shorten.
struct BurnJob {
  std::uint64_t rounds = 0;
};
/// A job that waits.
struct SleepJob {
  double seconds = 0;
};
/// A job that computes, then waits.
struct MixedJob {
  BurnJob burn;
  SleepJob sleep;
};
/// A job that runs a program to its end.
struct ExecJob {
  std::vector<std::string> arguments;  ///< The program, found on PATH, and its arguments; not empty.
};
/// A job that fetches a URL.
struct UrlJob {
  std::string url;
};

/// What a sweep runs.
using JobSpec = std::variant<BurnJob, SleepJob, MixedJob, ExecJob, UrlJob>;

/// Reads `burn:ROUNDS`, `sleep:TIME`, `mixed:ROUNDS,TIME`, `exec:COMMAND` or `url:http://…`. Errors: kInvalidParameter.
base::Result<JobSpec> parse_job(std::string_view text);

/// The words of a command. Blanks part them; '…' keeps everything as it is, "…" everything but \" and \\; outside of
/// both, a backslash keeps the next character. There is no shell: no variables, patterns, pipes or redirections.
/// Errors: kInvalidParameter for a quote that is not closed, a backslash at the end, and no words at all.
base::Result<std::vector<std::string>> split_command(std::string_view command);

}  // namespace optimux::apps
