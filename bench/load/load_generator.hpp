#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "load/client_connection.hpp"
#include "load/load_options.hpp"
#include "load/sample.hpp"

namespace optimux::bench {

/// Sends requests over many connections from one thread and times each of them.
///
/// In the closed loop every connection asks again as soon as it has its answer: the server sets the pace. In the open
/// loop requests fall due by the clock, whatever the server does; one that finds all connections busy waits for one,
/// and its latency counts from when it was due, so that a stalled server cannot hide behind a client that waits for it
/// (the "coordinated omission" of Gil Tene).
class LoadGenerator {
 public:
  /// `options` must outlive the generator. Aborts with a message when the system gives no epoll descriptor.
  explicit LoadGenerator(const LoadOptions& options);
  LoadGenerator(const LoadGenerator&) = delete;
  LoadGenerator& operator=(const LoadGenerator&) = delete;
  ~LoadGenerator();

  /// Runs to the end: all requests sent and ended. Blocks. One sample a request, in the order of their ends. Called
  /// once.
  std::vector<Sample> run();

 private:
  bool may_begin(std::int64_t now) const;
  std::int64_t next_due() const;
  void begin_due();
  ClientConnection* idle_connection();
  void begin_on(ClientConnection& connection, std::int64_t due);
  void watch(ClientConnection& connection, int descriptor_before);
  void wait_and_handle();
  void handle(ClientConnection& connection);
  void end_late();
  std::int64_t wait_time(std::int64_t now) const;

  const LoadOptions& options_;
  RunClock clock_;
  int poll_ = -1;
  std::vector<std::unique_ptr<ClientConnection>> connections_;
  std::vector<ClientConnection*> idle_;
  std::vector<Sample> samples_;
  std::size_t begun_ = 0;
  std::int64_t next_late_check_ = 0;
};

}  // namespace optimux::bench
