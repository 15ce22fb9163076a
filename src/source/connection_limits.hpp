#pragma once

namespace optimux::source {

/// Connections to origins. What would go over a limit waits, within its own time limits.
struct ConnectionLimits {
  long max_connections = 256;          ///< Open at one time, idle ones included.
  long max_connections_per_host = 64;  ///< Open at one time to one host and port.
  long max_idle_connections = 64;      ///< Kept open after their transfer for the next one.
};

}  // namespace optimux::source
