#include "server/http1_connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "http/http1_reader.hpp"
#include "http/http1_writer.hpp"
#include "http/http_date.hpp"
#include "server/alarm.hpp"
#include "server/event_loop_inner.hpp"
#include "server/exchange.hpp"

namespace optimux::server {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using Bytes = std::span<const std::byte>;

constexpr std::size_t kReadSize = 16 * 1024;
constexpr std::size_t kPiecesAtOnce = 16;

/// Bytes and requests after which a connection that never has to wait lets the others have a turn.
constexpr std::size_t kBytesInOneTurn = 1024 * 1024;
constexpr int kRequestsInOneTurn = 16;

/// How long a connection that is closed from here waits for the client to have read its last answer: closing while
/// bytes are still coming in resets the connection and takes that answer with it (RFC 9112, section 9.6).
constexpr std::chrono::seconds kLinger{1};

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

http::RequestLimits limits_of(const ServerSettings& settings) {
  return {settings.max_uri_bytes, settings.max_header_bytes, settings.max_header_fields, settings.max_body_bytes};
}

enum class News { kSomething, kClientGone, kTimeOver };

class Http1Connection final : public TrackedConnection, public std::enable_shared_from_this<Http1Connection> {
 public:
  Http1Connection(const ConnectionHost& host, std::unique_ptr<Transport> transport, std::string client, bool refuse)
      : state_(host.state),
        router_(host.router),
        registry_(host.registry),
        settings_(host.state.settings),
        transport_(std::move(transport)),
        client_(std::move(client)),
        refuses_(refuse),
        reader_(limits_of(*settings_)),
        alarm_(host.state.loop.inner().context) {
    registry_.add(*this);
  }
  ~Http1Connection() { registry_.remove(*this); }

  asio::awaitable<void> run();
  void drain() override { alarm_.ring(); }
  void abort() override {
    is_aborted_ = true;
    alarm_.ring();
  }

 private:
  // Input.
  asio::awaitable<bool> await_request();
  Clock::time_point request_deadline() const;
  bool read_input();
  void watch_input();
  Transport::Result discard_input();

  // Answers.
  std::unique_ptr<Exchange> open_exchange();
  asio::awaitable<bool> serve_request();
  asio::awaitable<std::optional<http::ResponseHead>> await_head(Exchange& exchange);
  asio::awaitable<bool> send_body(Exchange& exchange, http::Framing framing, std::string head);
  asio::awaitable<News> await_news(Exchange& exchange);
  asio::awaitable<bool> await_more(Exchange& exchange);

  // Output.
  asio::awaitable<bool> write(std::vector<Bytes> pieces);
  asio::awaitable<void> linger();
  asio::awaitable<void> give_others_a_turn();
  std::function<void()> make_wake();

  ServerState& state_;
  const Router& router_;
  ConnectionRegistry& registry_;
  const std::shared_ptr<const ServerSettings> settings_;
  const std::unique_ptr<Transport> transport_;
  const std::string client_;
  const bool refuses_;
  http::Http1Reader reader_;
  Alarm alarm_;
  Clock::time_point idle_since_ = Clock::now();
  std::optional<Clock::time_point> request_began_;
  bool had_request_ = false;
  bool input_is_closed_ = false;
  bool watches_input_ = false;
  bool watches_output_ = false;
  bool is_aborted_ = false;
  std::size_t bytes_this_turn_ = 0;
  int requests_this_turn_ = 0;
};

asio::awaitable<void> Http1Connection::run() {
  bool was_answered = false;
  while (true) {
    const bool has_request = co_await await_request();
    if (!has_request) {
      was_answered = false;
      break;
    }
    was_answered = true;
    const bool goes_on = co_await serve_request();
    if (!goes_on) break;
  }
  if (was_answered) co_await linger();
  transport_->close();
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
  }
  registry_.set_idle(*this, false);
  request_began_.reset();
  had_request_ = true;
  co_return true;
}

Clock::time_point Http1Connection::request_deadline() const {
  if (request_began_) return *request_began_ + settings_->header_timeout;
  const auto deadline = idle_since_ + (had_request_ ? settings_->idle_timeout : settings_->header_timeout);
  if (!state_.draining_since) return deadline;
  return std::min(deadline, std::max(*state_.draining_since, idle_since_) + settings_->drain_idle_grace);
}

/// Reads once. True if something came; if nothing is there, the connection is woken when there is. Requests are read
/// ahead of their turn only up to a limit, in number and in bytes.
bool Http1Connection::read_input() {
  const bool is_full = reader_.ready() >= settings_->max_pipelined || reader_.ready_bytes() > settings_->max_body_bytes;
  if (watches_input_ || input_is_closed_ || reader_.failure() || is_full) return false;
  std::array<char, kReadSize> input;  // Not a member: thousands of idle connections need no buffer.
  const Transport::Outcome outcome = transport_->read(input);
  if (outcome.result == Transport::Result::kDone) {
    reader_.feed({input.data(), outcome.bytes});
    if (reader_.is_mid_request() && !request_began_) request_began_ = Clock::now();
    return true;
  }
  if (outcome.result == Transport::Result::kClosed) {
    input_is_closed_ = true;
  } else {
    watch_input();
  }
  return false;
}

void Http1Connection::watch_input() {
  watches_input_ = true;
  transport_->when_readable([self = weak_from_this()] {
    const auto connection = self.lock();
    if (!connection) return;
    connection->watches_input_ = false;
    connection->alarm_.ring();
  });
}

std::unique_ptr<Exchange> Http1Connection::open_exchange() {
  auto request = reader_.take();
  if (!request) return std::make_unique<Exchange>(state_, *reader_.failure(), client_);
  if (refuses_) {
    return std::make_unique<Exchange>(
        state_, base::Error{base::ErrorCode::kOverloaded, "too many connections are open; see Retry-After", {}},
        client_);
  }
  return std::make_unique<Exchange>(state_, router_, std::move(*request), client_);
}

/// True when another request may follow on this connection.
asio::awaitable<bool> Http1Connection::serve_request() {
  const bool is_request = reader_.ready() > 0;
  const auto exchange = open_exchange();
  const auto head = co_await await_head(*exchange);
  if (!head) co_return false;
  const http::Framing framing = http::choose_framing(exchange->request(), *head);
  const bool keep_alive = is_request && !refuses_ && exchange->request().keep_alive && !state_.is_draining() &&
                          framing != http::Framing::kUntilClose;
  const std::string date = http::format_http_date(std::chrono::system_clock::now());
  std::string head_bytes = http::write_head(
      *head,
      {.framing = framing, .keep_alive = keep_alive, .minor_version = exchange->request().minor_version, .date = date});
  const bool is_whole = co_await send_body(*exchange, framing, std::move(head_bytes));
  if (!is_whole) {
    input_is_closed_ = true;  // Nothing to linger for: the answer is cut off, and the client must see that it is.
    co_return false;
  }
  exchange->finish();
  const bool had_body = !exchange->request().body.empty();  // It was read and understood without waiting.
  if (++requests_this_turn_ >= kRequestsInOneTurn || had_body) co_await give_others_a_turn();
  co_return keep_alive;
}

/// Nothing when the client has left.
asio::awaitable<std::optional<http::ResponseHead>> Http1Connection::await_head(Exchange& exchange) {
  while (true) {
    auto head = exchange.take_head();
    if (head) co_return head;
    const bool goes_on = co_await await_more(exchange);
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

asio::awaitable<News> Http1Connection::await_news(Exchange& exchange) {
  if (!exchange.wait(make_wake())) co_return News::kSomething;
  // Whatever the client sends meanwhile is read, because its end can only be seen behind it.
  while (read_input()) continue;
  if (input_is_closed_ || is_aborted_) co_return News::kClientGone;
  const bool rung = co_await alarm_.wait_until(exchange.last_moment());
  co_return rung ? News::kSomething : News::kTimeOver;
}

/// Sends the head and as much of the body as the framing has. False when the client does not get all of it.
asio::awaitable<bool> Http1Connection::send_body(Exchange& exchange, http::Framing framing, std::string head) {
  if (framing == http::Framing::kNone) co_return co_await write(std::vector<Bytes>(1, bytes_of(head)));
  while (true) {
    const Answer::Window window = exchange.window(kPiecesAtOnce);
    if (window.state == Answer::Window::State::kFailed) co_return false;
    const bool is_last = window.state == Answer::Window::State::kLast;
    std::size_t body_bytes = 0;
    for (const Bytes& piece : window.pieces) body_bytes += piece.size();
    const bool is_chunked = framing == http::Framing::kChunked;
    std::string chunk_header;
    std::vector<Bytes> output;
    output.push_back(bytes_of(head));
    if (is_chunked && body_bytes > 0) {
      chunk_header = http::write_chunk_header(body_bytes);
      output.push_back(bytes_of(chunk_header));
    }
    output.insert(output.end(), window.pieces.begin(), window.pieces.end());
    if (is_chunked && body_bytes > 0) output.push_back(bytes_of(http::kChunkEnd));
    if (is_chunked && is_last) output.push_back(bytes_of(http::kLastChunk));
    const bool is_written = co_await write(std::move(output));
    if (!is_written) co_return false;
    head.clear();
    exchange.consume(body_bytes);
    if (is_last) co_return true;
    if (body_bytes > 0) continue;
    const bool goes_on = co_await await_more(exchange);
    if (!goes_on || exchange.has_given_up()) co_return false;
  }
}

/// Writes all of `pieces`. False when the client has left or has taken nothing for too long.
asio::awaitable<bool> Http1Connection::write(std::vector<Bytes> pieces) {
  auto stalled = Clock::now() + settings_->write_stall_timeout;
  std::size_t next = 0;
  while (true) {
    while (next < pieces.size() && pieces[next].empty()) ++next;
    if (next == pieces.size()) co_return true;
    if (is_aborted_) co_return false;
    const Transport::Outcome outcome = transport_->write(Transport::Pieces(pieces).subspan(next));
    if (outcome.result == Transport::Result::kClosed) co_return false;
    if (outcome.result == Transport::Result::kDone) {
      std::size_t written = outcome.bytes;
      for (std::size_t i = next; written > 0; ++i) {
        const std::size_t taken = std::min(written, pieces[i].size());
        pieces[i] = pieces[i].subspan(taken);
        written -= taken;
      }
      bytes_this_turn_ += outcome.bytes;
      if (bytes_this_turn_ >= kBytesInOneTurn) co_await give_others_a_turn();
      stalled = Clock::now() + settings_->write_stall_timeout;
      continue;
    }
    if (!std::exchange(watches_output_, true)) {
      transport_->when_writable([self = weak_from_this()] {
        const auto connection = self.lock();
        if (!connection) return;
        connection->watches_output_ = false;
        connection->alarm_.ring();
      });
    }
    const bool rung = co_await alarm_.wait_until(stalled);
    if (!rung) co_return false;
    bytes_this_turn_ = 0;
  }
}

/// Reads and forgets what the client still sends, until it has seen the end of the last answer.
asio::awaitable<void> Http1Connection::linger() {
  if (input_is_closed_ || is_aborted_) co_return;
  transport_->finish_writing();
  const auto end = Clock::now() + kLinger;
  while (!is_aborted_ && Clock::now() < end) {
    if (!watches_input_) {
      const Transport::Result result = discard_input();
      if (result == Transport::Result::kClosed) co_return;
      if (result == Transport::Result::kDone) {
        co_await give_others_a_turn();
        continue;
      }
      watch_input();
    }
    co_await alarm_.wait_until(end);
  }
}

Transport::Result Http1Connection::discard_input() {
  std::array<char, kReadSize> input;
  return transport_->read(input).result;
}

asio::awaitable<void> Http1Connection::give_others_a_turn() {
  bytes_this_turn_ = 0;
  requests_this_turn_ = 0;
  co_await asio::post(state_.loop.inner().context, asio::use_awaitable);
}

/// Wakes this connection from any thread.
std::function<void()> Http1Connection::make_wake() {
  return [self = weak_from_this(), &loop = state_.loop] {
    loop.post([self] {
      if (const auto connection = self.lock()) connection->alarm_.ring();
    });
  };
}

}  // namespace

void start_http1_connection(const ConnectionHost& host, std::unique_ptr<Transport> transport, std::string client,
                            bool refuse) {
  auto connection = std::make_shared<Http1Connection>(host, std::move(transport), std::move(client), refuse);
  asio::co_spawn(
      host.state.loop.inner().context,
      [connection = std::move(connection)]() -> asio::awaitable<void> { co_await connection->run(); }, asio::detached);
}

}  // namespace optimux::server
