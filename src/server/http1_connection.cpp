#include "server/http1_connection.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/http_date.hpp"
#include "http/http2_opening.hpp"
#include "server/event_loop_inner.hpp"
#include "server/http1_connection_inner.hpp"

namespace optimux::server {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kPiecesAtOnce = 16;

/// Requests after which a connection that never has to wait lets the others have a turn.
constexpr int kRequestsInOneTurn = 16;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

http::RequestLimits limits_of(const ServerSettings& settings) {
  return {settings.max_uri_bytes, settings.max_header_bytes, settings.max_header_fields, settings.max_body_bytes};
}

SendPatience::Limits patience_of(const ServerSettings& settings) {
  return {settings.write_stall_timeout, settings.min_send_rate, settings.max_send_time};
}

}  // namespace

Http1Connection::Http1Connection(const ConnectionHost& host, Arrival arrival)
    : LoopConnection(host.state.loop, std::move(arrival.transport)),
      state_(host.state),
      router_(host.router),
      registry_(host.registry),
      http2_(host.http2),
      settings_(host.state.settings),
      client_(std::move(arrival.client)),
      refusal_(std::move(arrival.refusal)),
      reader_(limits_of(*settings_)),
      request_memory_(host.state.requests),
      patience_(patience_of(*settings_)) {
  registry_.add(*this);
  if (!arrival.input.empty()) take_input(arrival.input);
}

asio::awaitable<void> Http1Connection::run() {
  bool was_answered = false;
  while (true) {
    const bool has_request = co_await await_request();
    if (!has_request) {
      was_answered = false;
      break;
    }
    if (const auto settings = was_answered ? std::nullopt : find_upgrade()) {
      co_await become_http2(*settings);
      co_return;
    }
    was_answered = true;
    const bool goes_on = co_await serve_request();
    if (!goes_on) break;
  }
  if (was_answered) {
    co_await linger();
  } else {
    transport_->finish_writing();
  }
  transport_->close();
}

/// The settings of the client that asks for HTTP/2 instead, if it may have it: with the first request of a cleartext
/// connection, behind which nothing has come, since that could be of either protocol.
std::optional<std::string> Http1Connection::find_upgrade() const {
  const bool is_possible =
      http2_ != nullptr && client_.tls.empty() && !refusal_ && !state_.is_draining() && !watches_input_;
  const http::Request* const request = is_possible ? reader_.sole_request() : nullptr;
  return request == nullptr ? std::nullopt : http::read_h2c_upgrade(*request);
}

/// The connection goes on as another, which owns the transport; this one ends.
asio::awaitable<void> Http1Connection::become_http2(std::string settings) {
  const bool is_written = co_await write(std::vector<Bytes>(1, bytes_of(http::kSwitchingToHttp2)));
  if (!is_written || is_aborted_) {
    transport_->close();
    co_return;
  }
  Arrival arrival{std::move(transport_), client_, {}, {}};
  arrival.client.protocol = "h2";
  http2_({state_, router_, registry_, http2_}, std::move(arrival), Http2Upgrade{*reader_.take(), std::move(settings)});
}

/// False when none will come: the client has left, took too long, or the connection is not wanted any more.
asio::awaitable<bool> Http1Connection::await_request() {
  idle_since_ = Clock::now();
  if (reader_.is_mid_request()) request_began_ = idle_since_;
  while (reader_.ready() == 0 && !reader_.failure()) {
    read_input();
    if (reader_.take_continue()) {
      const bool is_written = co_await write(std::vector<Bytes>(1, bytes_of(http::kContinue)));
      if (!is_written) co_return false;
    }
    if (reader_.ready() > 0 || reader_.failure()) break;
    if (input_is_closed_ || is_aborted_) co_return false;
    if (!watches_input_) continue;  // There was something to read, perhaps there is more.
    registry_.set_idle(*this, !request_began_);
    const bool rung = co_await alarm_.wait_until(request_deadline());
    if (!rung) co_return false;
    begin_turn();
  }
  registry_.set_idle(*this, false);
  request_began_.reset();
  had_request_ = true;
  co_return true;
}

std::chrono::steady_clock::time_point Http1Connection::request_deadline() const {
  if (request_began_) return *request_began_ + settings_->header_timeout;
  const auto deadline = idle_since_ + (had_request_ ? settings_->idle_timeout : settings_->header_timeout);
  if (!state_.draining_since) return deadline;
  return std::min(deadline, std::max(*state_.draining_since, idle_since_) + settings_->drain_idle_grace);
}

std::unique_ptr<Exchange> Http1Connection::open_exchange() {
  auto request = reader_.take();
  if (!request) return std::make_unique<Exchange>(state_, *reader_.failure(), client_);
  if (refusal_) return std::make_unique<Exchange>(state_, *refusal_, client_);
  return std::make_unique<Exchange>(state_, router_, std::move(*request), client_);
}

/// True when another request may follow on this connection.
asio::awaitable<bool> Http1Connection::serve_request() {
  patience_ = SendPatience(patience_of(*settings_));
  const bool is_request = reader_.ready() > 0;
  const auto exchange = open_exchange();
  auto head = exchange->take_head();
  if (!head) head = co_await await_head(*exchange);
  if (!head) {
    if (is_aborted_) exchange->cut_off();
    co_return false;
  }
  const http::Framing framing = http::choose_framing(exchange->request(), *head);
  const bool keep_alive = is_request && !refusal_ && exchange->request().keep_alive && !state_.is_draining() &&
                          framing != http::Framing::kUntilClose && !state_.backend.is_short_of_memory();
  const std::string date = base::format_http_date(std::chrono::system_clock::now());
  std::string head_bytes = http::write_head(
      *head,
      {.framing = framing, .keep_alive = keep_alive, .minor_version = exchange->request().minor_version, .date = date});
  const bool is_whole = co_await send_body(*exchange, framing, std::move(head_bytes));
  if (!is_whole) {
    if (is_aborted_) exchange->cut_off();
    input_is_closed_ = true;  // Nothing to linger for: the answer is cut off, and the client must see that it is.
    co_return false;
  }
  exchange->finish();
  count_input();
  const bool had_body = !exchange->request().body.empty();  // It was read and understood without waiting.
  if (++requests_this_turn_ >= kRequestsInOneTurn || had_body) co_await give_others_a_turn();
  co_return keep_alive;
}

/// Nothing when the client has left.
asio::awaitable<std::optional<http::ResponseHead>> Http1Connection::await_head(Exchange& exchange) {
  while (true) {
    auto head = exchange.take_head();
    if (head) co_return head;
    bool goes_on = true;
    if (const auto hints = exchange.take_hints()) {
      const std::string early_head = http::write_informational(http::kEarlyHints, *hints);
      goes_on = co_await write(std::vector<Bytes>(1, bytes_of(early_head)));
      input_is_closed_ = input_is_closed_ || !goes_on;
    }
    if (goes_on) goes_on = co_await await_more(exchange);
    if (!goes_on) co_return std::nullopt;
  }
}

/// Waits until the exchange may have something new. False when the client has left.
asio::awaitable<bool> Http1Connection::await_more(Exchange& exchange) {
  const News news = co_await await_news(exchange);
  if (news == News::kTimeOver) exchange.give_up();
  if (news == News::kClientGone) input_is_closed_ = true;
  co_return news != News::kClientGone;
}

asio::awaitable<Http1Connection::News> Http1Connection::await_news(Exchange& exchange) {
  if (!exchange.wait(make_wake())) co_return News::kSomething;
  // Whatever the client sends meanwhile is read, because its end can only be seen behind it.
  while (read_input()) continue;
  if (input_is_closed_ || has_departed_ || is_aborted_) co_return News::kClientGone;
  const bool rung = co_await alarm_.wait_until(exchange.last_moment());
  co_return rung ? News::kSomething : News::kTimeOver;
}

/// Sends the head and as much of the body as the framing has. False when the client does not get all of it.
asio::awaitable<bool> Http1Connection::send_body(Exchange& exchange, http::Framing framing, std::string head) {
  if (framing == http::Framing::kNone) co_return co_await write(std::vector<Bytes>(1, bytes_of(head)));
  while (true) {
    const Answer::Window window = exchange.window(kPiecesAtOnce, Answer::Cut::kNowhere);
    if (window.state == Answer::Window::State::kFailed) co_return false;
    const bool is_last = window.state == Answer::Window::State::kLast;
    std::size_t body_bytes = 0;
    for (const Bytes& piece : window.pieces) body_bytes += piece.size();
    const http::BodyFrame frame = http::frame_body(framing, body_bytes, is_last);
    std::vector<Bytes> output;
    output.reserve(window.pieces.size() + 3);
    output.push_back(bytes_of(head));
    output.push_back(bytes_of(frame.before));
    output.insert(output.end(), window.pieces.begin(), window.pieces.end());
    output.push_back(bytes_of(frame.after));
    const Progress progress = write_now(output);
    if (progress == Progress::kClosed) co_return false;
    if (progress != Progress::kDone) {
      const bool is_written = co_await write(std::move(output));
      if (!is_written) co_return false;
    }
    head.clear();
    exchange.consume(body_bytes);
    if (is_last) co_return true;
    if (body_bytes > 0) continue;
    const bool goes_on = co_await await_more(exchange);
    if (!goes_on || exchange.has_given_up()) co_return false;
  }
}

void start_http1_connection(const ConnectionHost& host, Arrival arrival) {
  auto connection = std::make_shared<Http1Connection>(host, std::move(arrival));
  asio::co_spawn(
      host.state.loop.inner().context,
      [connection = std::move(connection)]() -> asio::awaitable<void> { co_await connection->run(); }, asio::detached);
}

}  // namespace optimux::server
