/// \file
/// What happens to a pool: when which jobs arrive.
#pragma once

#include "optimux/pool/clock.hpp"
#include "optimux/pool/config_error.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace optimux::pool::simulator {

/// One job.
struct TraceJob {
  Duration at{};    ///< When it arrives, from the beginning of the trace.
  Duration wait{};  ///< How long it waits for something that is no CPU, first.
  Duration cpu{};   ///< How long it computes then, with a CPU of its own.
};

/// The jobs that arrive within some time.
struct Trace {
  std::string name;
  std::vector<TraceJob> jobs;  ///< By rising `at`.
  Duration length{};           ///< No job arrives after it.
  Duration rises_at{};         ///< When the load first rises to what follows.
  double busy_workers = 0;     ///< Workers that the load keeps busy at its height, if none has to wait for a CPU.
};

/// The busiest time of a trace, for `rises_at` and `busy_workers` of one that was recorded: of all spans of ten seconds
/// that begin at a whole second, the one with the most work.
void measure_height(Trace& trace);

/// Reads a trace: one line a job with three numbers, in seconds: arrival, CPU time, waiting time (which may be
/// missing); a header, empty lines and those that begin with `#` are passed over. At most ten million jobs, arrivals
/// not falling, none negative, none above 1e6 s. The error names the line.
[[nodiscard]] Made<Trace> read_trace(std::istream& in, std::string name);

/// Writes a trace as `read_trace` reads it, to the nanosecond.
void write_trace(std::ostream& out, const Trace& trace);

}  // namespace optimux::pool::simulator
