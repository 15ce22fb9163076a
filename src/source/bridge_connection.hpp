#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "source/bridge_request.hpp"
#include "source/descriptor.hpp"
#include "source/range_bridge.hpp"
#include "source/range_reader.hpp"
#include "source/reactor.hpp"

namespace optimux::source {

/// What has happened at one bridge; read by any thread.
struct BridgeCounters {
  std::atomic<std::uint64_t> connections = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> source_reads = 0;
  std::atomic<std::uint64_t> source_bytes = 0;
  std::atomic<std::uint64_t> sent_bytes = 0;
};

/// What the connections of one bridge share. It outlives them.
struct BridgeContext {
  Reactor& reactor;
  const RangeBridgeSettings settings;
  const std::string authorization;  ///< The value of `Proxy-Authorization` that is let in.
  std::shared_ptr<RangeReader> reader;
  BridgeCounters counters = {};
};

/// One connection of a `RangeBridge`: requests one after another, each answered from the file.
///
///     head -> refusal -> closed
///      ^ \--> body: what is in memory is sent; what is not is fetched, and `resume` goes on
///      |        |
///      +--------+  as long as the connection is to be used again
///
/// Of the loop's thread alone; owned by a shared_ptr, which the reactor's callbacks hold weakly.
class BridgeConnection : public std::enable_shared_from_this<BridgeConnection> {
 public:
  /// `closed` is called once, when it has closed itself, perhaps from inside any of its functions.
  BridgeConnection(BridgeContext& context, Descriptor socket, std::function<void()> closed);
  BridgeConnection(const BridgeConnection&) = delete;
  BridgeConnection& operator=(const BridgeConnection&) = delete;
  /// It was closed before, unless the loop runs no more.
  ~BridgeConnection() = default;

  /// Begins to read a request.
  void start();
  /// Goes on sending, if something of the file was waited for.
  void resume();
  /// Ends it now, if it has not ended. With `is_cut` the peer sees a failure, and no orderly end.
  void close(bool is_cut);

  /// Whether a request has brought the secret.
  bool is_trusted() const { return is_trusted_; }

 private:
  void on_ready(unsigned ready);
  bool receive();
  void take_head();
  void begin(const BridgeRequest& request);
  void refuse(int status);
  void send_what_is_there();
  bool send_some(std::span<const std::byte> bytes, std::size_t& sent);
  void fetch_ahead();
  void finish_request();
  void expect_head();
  void on_head_time();
  void stop_head_timer();
  void update_interest();

  BridgeContext& context_;
  Descriptor socket_;
  const std::function<void()> closed_;
  std::stop_source stop_;  ///< Of reads of the file.
  std::string input_;      ///< What came and is not used yet.
  std::string answer_;     ///< The head of the answer, as far as it is not sent.
  BridgeRequest request_;
  bool is_answering_ = false;
  bool is_trusted_ = false;
  bool is_blocked_ = false;  ///< The peer takes no more for now.
  std::uint64_t begin_ = 0;  ///< Of what is sent, within the file …
  std::uint64_t position_ = 0;
  std::uint64_t end_ = 0;
  std::size_t wanted_ = 0;  ///< Bytes that are to be in memory ahead of the reader.
  unsigned interest_ = Reactor::kNone;
  Reactor::TimerId head_timer_ = 0;
};

}  // namespace optimux::source
