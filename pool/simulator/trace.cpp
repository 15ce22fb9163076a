#include "simulator/trace.hpp"

#include "simulator/number_text.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <string_view>

namespace optimux::pool::simulator {
namespace {

constexpr std::size_t kMostJobs = 10'000'000;
constexpr double kLongestSeconds = 1e6;
constexpr Duration kSpan = std::chrono::seconds(10);
constexpr Duration kStride = std::chrono::seconds(1);
constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// The columns of one line in seconds: two or three. False if they are anything else.
bool read_columns(std::string_view line, std::array<double, 3>& columns) {
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const auto comma = line.find(',');
    more = comma != std::string_view::npos;
    if (count == columns.size()) return false;
    const auto number = read_number(trimmed(line.substr(0, comma)));
    if (!number || *number < 0 || *number > kLongestSeconds) return false;
    columns[count] = *number;
    if (more) line.remove_prefix(comma + 1);
  }
  return count >= 2;
}

bool is_header(std::string_view line) {
  return !line.empty() &&
         ((line.front() >= 'a' && line.front() <= 'z') || (line.front() >= 'A' && line.front() <= 'Z'));
}

ConfigError wrong_line(std::size_t number, const std::string& what) {
  return {"line " + std::to_string(number), what};
}

}  // namespace

void measure_height(Trace& trace) {
  trace.busy_workers = 0;
  auto begin = trace.jobs.begin();
  for (Duration from{}; from <= trace.length; from += kStride) {
    while (begin != trace.jobs.end() && begin->at < from) ++begin;
    double work = 0;
    for (auto job = begin; job != trace.jobs.end() && job->at < from + kSpan; ++job) {
      work += to_seconds(job->wait + job->cpu);
    }
    if (work / to_seconds(kSpan) <= trace.busy_workers) continue;
    trace.busy_workers = work / to_seconds(kSpan);
    trace.rises_at = from;
  }
}

Made<Trace> read_trace(std::istream& in, std::string name) {
  Trace trace;
  trace.name = std::move(name);
  std::string buffer;
  for (std::size_t number = 1; std::getline(in, buffer); ++number) {
    const std::string_view line = trimmed(buffer);
    if (line.empty() || line.front() == '#' || (trace.jobs.empty() && is_header(line))) continue;
    std::array<double, 3> columns{};
    if (!read_columns(line, columns)) {
      return wrong_line(number, "must hold arrival, CPU and waiting time in seconds, each from 0 to 1000000");
    }
    const TraceJob job{from_seconds(columns[0]), from_seconds(columns[2]), from_seconds(columns[1])};
    if (!trace.jobs.empty() && job.at < trace.jobs.back().at) {
      return wrong_line(number, "arrives before the line above it");
    }
    if (trace.jobs.size() == kMostJobs) return wrong_line(number, "is one job too many: at most 10000000");
    trace.jobs.push_back(job);
  }
  if (trace.jobs.empty()) return ConfigError{"trace", "has no job"};
  trace.length = trace.jobs.back().at;
  measure_height(trace);
  return trace;
}

void write_trace(std::ostream& out, const Trace& trace) {
  out << "arrival_s,cpu_s,wait_s\n";
  for (const TraceJob& job : trace.jobs) {
    out << number_text(to_seconds(job.at), 9) << ',' << number_text(to_seconds(job.cpu), 9) << ','
        << number_text(to_seconds(job.wait), 9) << '\n';
  }
}

}  // namespace optimux::pool::simulator
