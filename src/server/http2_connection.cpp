#include "server/http2_connection.hpp"

#include <utility>
#include <variant>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/http_date.hpp"
#include "server/event_loop_inner.hpp"
#include "server/http2_connection_inner.hpp"
#include "server/http2_limits.hpp"

namespace optimux::server {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kPiecesAtOnce = 16;

/// 40 ms at 3 Mbit/s: what is more urgent waits no longer behind what the system holds.
constexpr std::size_t kMostUnsentBytes = 16'384;

}  // namespace

Http2Connection::Http2Connection(const ConnectionHost& host, Arrival arrival, std::optional<Http2Upgrade> upgrade)
    : LoopConnection(host.state.loop, std::move(arrival.transport)),
      state_(host.state),
      router_(host.router),
      registry_(host.registry),
      settings_(host.state.settings),
      client_(std::move(arrival.client)),
      refusal_(std::move(arrival.refusal)),
      session_(http2_limits_of(*settings_), settings_->http2_policy, began_),
      input_memory_(host.state.requests),
      request_memory_(host.state.requests),
      patience_(http2_patience_of(*settings_)) {
  client_.protocol = "h2";
  registry_.add(*this);
  transport_->set_unsent_limit(kMostUnsentBytes);
  state_.metrics.count_http2_connection();
  if (upgrade && !session_.upgrade(upgrade->settings, std::move(upgrade->request))) is_broken_ = true;
  if (!arrival.input.empty()) take_input(arrival.input);
}

Http2Connection::~Http2Connection() {
  registry_.remove(*this);
}

asio::awaitable<void> Http2Connection::run() {
  while (true) {
    const bool has_read = read_input();
    take_events();
    advance_woken();
    keep_time();
    const bool has_more_to_write = pump();
    count_session();
    if (is_over()) break;
    if (has_read || has_more_to_write || session_.has_events()) {
      if (is_turn_over()) co_await give_others_a_turn();
      continue;
    }
    registry_.set_idle(*this, streams_.empty() && session_.open_streams() == 0);
    co_await alarm_.wait_until(next_moment());
    begin_turn();
  }
  registry_.set_idle(*this, false);
  say_goodbye();
  streams_.clear();  // Their work ends here, and not when the client has seen the end.
  if (!is_broken_) co_await linger();
  transport_->close();
}

bool Http2Connection::is_over() const {
  return is_aborted_ || is_broken_ || input_is_closed_ || (session_.is_over() && session_.output().empty());
}

/// What is still open has no answer any more; one last word goes out if the client takes it at once.
void Http2Connection::say_goodbye() {
  if (is_aborted_ && streams_.empty()) {
    session_.end("made_room");
    pump();
  }
  for (auto& [id, stream] : streams_) {
    settle(stream);
    if (is_aborted_) stream.exchange->cut_off();
  }
  if (const auto& goodbye = session_.goodbye()) {
    state_.metrics.count_http2_goaway(goodbye->reason);
    if (goodbye->error != http::Http2Error::kNoError) {
      state_.log.info("connection ended", {{"client", client_.address},
                                           {"protocol", client_.protocol},
                                           {"reason", goodbye->reason},
                                           {"error", name_of(goodbye->error)}});
    }
  }
}

void Http2Connection::take_events() {
  while (auto event = session_.take_event()) {
    if (auto* const request = std::get_if<http::Http2Request>(&*event)) {
      open(std::move(*request));
    } else if (const auto* const refusal = std::get_if<http::Http2Refusal>(&*event)) {
      add(refusal->stream, std::make_unique<Exchange>(state_, refusal->error, client_, refusal->stream),
          refusal->is_head);
    } else {
      drop(std::get<http::Http2Reset>(*event).stream);
    }
  }
}

void Http2Connection::open(http::Http2Request request) {
  const bool is_head = request.request.method == "HEAD";
  const std::size_t bytes = http::size_of(request.request);
  if (bytes > settings_->max_header_bytes) count_input();  // It is not coming in any more.
  std::optional<base::Error> refusal = refusal_;
  if (!refusal && !count_request(bytes)) refusal = no_memory_for_requests();
  if (refusal) {
    add(request.stream, std::make_unique<Exchange>(state_, *refusal, client_, request.stream), is_head);
    if (refusal_ && !std::exchange(has_ended_, true)) session_.end("refused");
    return;
  }
  auto exchange = std::make_unique<Exchange>(state_, router_, std::move(request.request), client_, request.stream);
  add(request.stream, std::move(exchange), is_head);
}

void Http2Connection::add(StreamId id, std::unique_ptr<Exchange> exchange, bool is_head_request) {
  const auto added = streams_.try_emplace(
      id, Stream{std::move(exchange), SendPatience(http2_patience_of(*settings_)), is_head_request});
  advance(id, added.first->second);
}

/// The request of a stream that is not there any more ends with its exchange.
void Http2Connection::drop(StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  settle(found->second);
  forget_request(*found->second.exchange);
  streams_.erase(found);
}

/// All of the answer is with the session; it has been sent when that has put it out.
void Http2Connection::retire(StreamId id, Stream& stream) {
  settle(stream);
  retired_.push_back(std::move(stream.exchange));
  streams_.erase(id);
}

void Http2Connection::end_early(StreamId id, http::Http2Error error) {
  session_.reset(id, error);
  drop(id);
}

/// Tells the exchange what has been sent of its last window. Not before the next is asked for, because only then its
/// pieces are not needed any more.
void Http2Connection::settle(Stream& stream) {
  if (stream.sent_bytes > 0) stream.exchange->consume(std::exchange(stream.sent_bytes, 0));
}

void Http2Connection::advance_woken() {
  for (const StreamId id : std::exchange(woken_, {})) {
    const auto found = streams_.find(id);
    if (found == streams_.end() || !found->second.is_waiting) continue;
    end_wait(found->second);
    advance(id, found->second);
  }
}

/// Goes on with an answer until it has to wait, for its making or for its turn.
void Http2Connection::advance(StreamId id, Stream& stream) {
  if (!stream.has_head) {
    auto head = stream.exchange->take_head();
    while (!head) {
      if (const auto hints = stream.exchange->take_hints()) session_.inform(id, http::kEarlyHints, *hints);
      if (wait(id, stream)) return;
      head = stream.exchange->take_head();
    }
    if (!send_head(id, stream, std::move(*head))) return;
  }
  supply(id, stream);
}

/// True when a body follows.
bool Http2Connection::send_head(StreamId id, Stream& stream, http::ResponseHead head) {
  stream.has_head = true;
  head.headers.add("Date", base::format_http_date(std::chrono::system_clock::now()));
  const bool has_body = !stream.is_head_request && http::status_has_body(head.status) && head.content_length != 0;
  if (!session_.respond(id, head, has_body)) {
    drop(id);
    return false;
  }
  if (has_body) {
    if (settings_->max_send_time.count() > 0) stream.send_end = Clock::now() + settings_->max_send_time;
  } else {
    retire(id, stream);
  }
  return has_body;
}

void Http2Connection::supply(StreamId id, Stream& stream) {
  settle(stream);
  while (true) {
    Answer::Window window = stream.exchange->window(kPiecesAtOnce, Answer::Cut::kPhase);
    if (window.state == Answer::Window::State::kFailed) {
      end_early(id, http::Http2Error::kInternalError);
      return;
    }
    const bool is_last = window.state == Answer::Window::State::kLast;
    if (!window.pieces.empty() || is_last) {
      session_.supply(id, {std::move(window.pieces), window.phase, is_last, window.is_lasting});
      return;
    }
    if (wait(id, stream)) return;
  }
}

/// False when there is news already.
bool Http2Connection::wait(StreamId id, Stream& stream) {
  stream.is_waiting = stream.exchange->wait(make_wake(id));
  stream.waiting_since = Clock::now();
  return stream.is_waiting;
}

/// While there is nothing to send it is not the client that takes its time.
void Http2Connection::end_wait(Stream& stream) {
  stream.is_waiting = false;
  if (stream.send_end) *stream.send_end += Clock::now() - stream.waiting_since;
}

/// Wakes this connection from any thread.
std::function<void()> Http2Connection::make_wake(StreamId id) {
  return [weak = weak_from_this(), this, &loop = loop_, id] {
    loop.post([weak, this, id] {
      const auto self = weak.lock();
      if (!self) return;
      woken_.push_back(id);
      alarm_.ring();
    });
  };
}

void start_http2_connection(const ConnectionHost& host, Arrival arrival, std::optional<Http2Upgrade> upgrade) {
  auto connection = std::make_shared<Http2Connection>(host, std::move(arrival), std::move(upgrade));
  asio::co_spawn(
      host.state.loop.inner().context,
      [connection = std::move(connection)]() -> asio::awaitable<void> { co_await connection->run(); }, asio::detached);
}

}  // namespace optimux::server
