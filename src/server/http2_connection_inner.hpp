#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/http2_session.hpp"
#include "server/exchange.hpp"
#include "server/http2_connection.hpp"
#include "server/loop_connection.hpp"
#include "server/send_patience.hpp"

namespace optimux::server {

/// The connection as its sources see it: http2_connection.cpp is the way of requests and answers,
/// http2_connection_io.cpp how bytes come and go, http2_connection_timers.cpp what does not last for ever. Included by
/// nobody else.
class Http2Connection final : public LoopConnection {
 public:
  Http2Connection(const ConnectionHost& host, Arrival arrival, std::optional<Http2Upgrade> upgrade);
  ~Http2Connection();

  boost::asio::awaitable<void> run();

 private:
  using Clock = std::chrono::steady_clock;
  using StreamId = http::StreamId;

  /// One request and its answer.
  struct Stream {
    std::unique_ptr<Exchange> exchange;
    SendPatience patience;
    bool is_head_request = false;
    std::size_t sent_bytes = 0;                      ///< Of the exchange's last window, and not consumed yet.
    bool has_head = false;                           ///< The head of the answer was given to the session.
    bool is_waiting = false;                         ///< For news of the exchange,
    Clock::time_point waiting_since;                 ///< since then.
    std::optional<Clock::time_point> blocked_since;  ///< The client's window for it is closed.
    std::optional<Clock::time_point> send_end;       ///< When the answer has to be through, unless it waits.
  };

  // Requests and answers.
  void take_events();
  void open(http::Http2Request request);
  void open(const http::Http2Refusal& refusal);
  void add(StreamId id, std::unique_ptr<Exchange> exchange, bool is_head_request);
  void advance_woken();
  void advance(StreamId id, Stream& stream);
  bool send_head(StreamId id, Stream& stream, http::ResponseHead head);
  void supply(StreamId id, Stream& stream);
  bool wait(StreamId id, Stream& stream);
  static void end_wait(Stream& stream);
  static void settle(Stream& stream);
  void retire(StreamId id, Stream& stream);
  void drop(StreamId id);
  void end_early(StreamId id, http::Http2Error error);
  void give_up(StreamId id);
  bool is_over() const;
  void say_goodbye();
  std::function<void()> make_wake(StreamId id);

  // Bytes.
  bool read_input();
  void take_input(std::span<const char> bytes);
  bool count_input();
  bool count_request(std::size_t bytes);
  void forget_request(const Exchange& exchange);
  static base::Error no_memory_for_requests();
  bool pump();
  void write_some();
  void count_taken(std::size_t bytes);
  bool fill_output();
  void note(const http::Http2Produced& produced);
  void finish_sent();
  bool is_turn_over() const;
  void begin_turn();
  boost::asio::awaitable<void> give_others_a_turn();

  // Time.
  void keep_time();
  void keep_stream_times(Clock::time_point now);
  void keep_connection_times(Clock::time_point now);
  void keep_drain(Clock::time_point now);
  Clock::time_point next_moment() const;
  void count_session();

  ServerState& state_;
  const Router& router_;
  ConnectionRegistry& registry_;
  const std::shared_ptr<const ServerSettings> settings_;
  Client client_;
  const std::optional<base::Error> refusal_;
  const Clock::time_point began_ = Clock::now();  ///< Before what is made with it.
  http::Http2Session session_;
  source::BodyLease input_memory_;    ///< Of requests that are coming in.
  source::BodyLease request_memory_;  ///< Of those that are being answered.
  SendPatience patience_;             ///< With the connection as a whole.
  std::map<StreamId, Stream> streams_;
  std::vector<std::unique_ptr<Exchange>> retired_;    ///< Nothing is left to be done for them but to be sent.
  std::vector<std::unique_ptr<Exchange>> in_output_;  ///< Their last bytes are in the output.
  std::vector<StreamId> woken_;
  std::size_t request_bytes_ = 0;     ///< Of all requests that are being answered.
  std::size_t bodies_in_output_ = 0;  ///< Bytes; framing not included.
  http::Http2Counts counted_;
  Clock::time_point idle_since_ = began_;
  std::optional<Clock::time_point> stalled_since_;
  std::optional<Clock::time_point> drain_began_;
  bool has_ended_ = false;  ///< The client was told that nothing new is taken.
  bool is_broken_ = false;  ///< Nobody takes what is written.
  std::size_t bytes_this_turn_ = 0;
  int reads_this_turn_ = 0;
};

}  // namespace optimux::server
