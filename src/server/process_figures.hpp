#pragma once

#include <cstdint>

namespace optimux::server {

/// What the system says about this process. Values that cannot be read are 0.
struct ProcessFigures {
  double cpu_seconds = 0;  ///< User and system, of all threads.
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t max_descriptors = 0;
  double start_time = 0;  ///< Seconds since 1970.
  int threads = 0;
};

/// Reads them from /proc and the like: a few small reads that never touch a disk. Thread-safe.
ProcessFigures read_process_figures();

}  // namespace optimux::server
