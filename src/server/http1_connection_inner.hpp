#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/http1_reader.hpp"
#include "http/http1_writer.hpp"
#include "server/exchange.hpp"
#include "server/http1_connection.hpp"
#include "server/loop_connection.hpp"
#include "server/send_patience.hpp"

namespace optimux::server {

/// The connection as its two sources see it: http1_connection.cpp is the way of a request, http1_connection_io.cpp how
/// its bytes come and go. Included by nobody else.
class Http1Connection final : public LoopConnection {
 public:
  Http1Connection(const ConnectionHost& host, Arrival arrival);
  ~Http1Connection() { registry_.remove(*this); }

  boost::asio::awaitable<void> run();

 private:
  using Clock = std::chrono::steady_clock;
  using Bytes = std::span<const std::byte>;
  enum class News { kSomething, kClientGone, kTimeOver };

  // Input.
  boost::asio::awaitable<bool> await_request();
  Clock::time_point request_deadline() const;
  bool read_input();
  void take_input(std::string_view bytes);
  void count_input();

  // Another protocol.
  std::optional<std::string> find_upgrade() const;
  boost::asio::awaitable<void> become_http2(std::string settings);

  // Answers.
  std::unique_ptr<Exchange> open_exchange();
  boost::asio::awaitable<bool> serve_request();
  boost::asio::awaitable<std::optional<http::ResponseHead>> await_head(Exchange& exchange);
  boost::asio::awaitable<bool> send_body(Exchange& exchange, http::Framing framing, std::string head);
  boost::asio::awaitable<News> await_news(Exchange& exchange);
  boost::asio::awaitable<bool> await_more(Exchange& exchange);

  // Output.
  enum class Progress { kDone, kBlocked, kTurnIsOver, kClosed };
  Progress write_now(std::vector<Bytes>& pieces);
  boost::asio::awaitable<bool> write(std::vector<Bytes> pieces);
  boost::asio::awaitable<void> give_others_a_turn();
  void begin_turn();
  std::function<void()> make_wake();

  ServerState& state_;
  const Router& router_;
  ConnectionRegistry& registry_;
  const Http2Starter http2_;
  const std::shared_ptr<const ServerSettings> settings_;
  const Client client_;
  const std::optional<base::Error> refusal_;
  http::Http1Reader reader_;
  source::BodyLease request_memory_;
  SendPatience patience_;  ///< With the answer that is being sent.
  Clock::time_point idle_since_ = Clock::now();
  std::optional<Clock::time_point> request_began_;
  bool had_request_ = false;
  std::size_t bytes_this_turn_ = 0;
  int requests_this_turn_ = 0;
};

}  // namespace optimux::server
