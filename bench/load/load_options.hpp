#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace optimux::bench {

/// What to ask for, how often, and for how long. Every run is bounded by requests, by time, or by both.
struct LoadOptions {
  std::uint16_t port = 0;  ///< On 127.0.0.1: nothing else is ever contacted.
  std::vector<std::string>
      targets;                  ///< Request targets, walked in order by all connections together, again from the top.
  std::size_t connections = 1;  ///< At most.
  std::size_t requests = 0;     ///< To send; 0: as many as the duration allows.
  std::chrono::milliseconds duration{0};  ///< In which requests are sent; 0: until all are sent.
  double rate = 0;  ///< Requests a second by the clock (open loop); 0: each after the last (closed loop).
  std::chrono::milliseconds timeout{30'000};  ///< Of one request, from being sent to its last byte.
  std::string output;                         ///< CSV, one line a request.
};

/// Reads the command line. Nothing when it is wrong or asks for help; `exit_code` and a message on the standard streams
/// say which.
std::optional<LoadOptions> read_load_options(int argc, char** argv, int& exit_code);

}  // namespace optimux::bench
