#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "load/response_reader.hpp"
#include "load/sample.hpp"

namespace optimux::bench {

/// The clock of one run.
class RunClock {
 public:
  using Clock = std::chrono::steady_clock;
  /// Microseconds since the start of the run.
  std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_).count();
  }

 private:
  Clock::time_point start_ = Clock::now();
};

/// One connection of the load generator: a non-blocking socket that carries one request at a time and is kept open
/// between them. Its owner polls the descriptor and calls `on_ready`. Not thread-safe.
class ClientConnection {
 public:
  ClientConnection(std::uint16_t port, const RunClock& clock) : port_(port), clock_(clock) {}
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;
  ~ClientConnection() { close(); }

  /// Begins a request; opens the connection first if it is not open. Only while idle. Returns whether the request is
  /// under way; if not, `sample()` tells why, as after `on_ready`.
  bool begin(std::size_t target_index, const std::string& target, std::int64_t due);

  /// Reads and writes what the socket allows. Returns true when this ended the request: take `sample()`.
  bool on_ready();

  /// Ends the request that is under way as timed out and closes the connection.
  void give_up();

  bool is_idle() const { return !busy_; }
  const Sample& sample() const { return sample_; }
  /// Of the socket, -1 while closed. Changes only inside `begin`, `on_ready` and `give_up`.
  int descriptor() const { return descriptor_; }
  /// Whether `on_ready` wants to be called for writing too.
  bool wants_write() const { return busy_ && written_ < request_.size(); }

 private:
  bool open();
  bool write();
  bool read();
  void note(std::int64_t now, ResponseReader::State state);
  bool finish(Outcome outcome);
  void close();

  const std::uint16_t port_;
  const RunClock& clock_;
  int descriptor_ = -1;
  bool busy_ = false;
  std::string request_;
  std::size_t written_ = 0;
  ResponseReader reader_;
  Sample sample_;
};

}  // namespace optimux::bench
