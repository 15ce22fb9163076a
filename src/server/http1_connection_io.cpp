#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "server/http1_connection_inner.hpp"

namespace optimux::server {
namespace {

namespace asio = boost::asio;

}  // namespace

/// Reads once. True if something came; if nothing is there, the connection is woken when there is. Requests are read
/// ahead of their turn only up to a limit, in number and in bytes, and nothing is behind one that is malformed; a
/// client that leaves is noticed all the same.
bool Http1Connection::read_input() {
  if (watches_input_ || input_is_closed_) return false;
  const bool is_full = reader_.ready() >= settings_->max_pipelined || reader_.ready_bytes() > settings_->max_body_bytes;
  if (is_full || reader_.failure()) {
    watch_departure();
    return false;
  }
  std::array<char, kReadSize> input;  // Not a member: thousands of idle connections need no buffer.
  const Transport::Outcome outcome = transport_->read(input);
  if (outcome.result == Transport::Result::kDone) {
    take_input({input.data(), outcome.bytes});
    return true;
  }
  if (outcome.result == Transport::Result::kClosed) {
    input_is_closed_ = true;
  } else {
    watch_input();
  }
  return false;
}

void Http1Connection::take_input(std::string_view bytes) {
  reader_.feed(bytes);
  count_input();
  if (reader_.is_mid_request() && !request_began_) request_began_ = Clock::now();
}

/// What is no more than a head may be is free: a request without a body is never refused for those of others.
void Http1Connection::count_input() {
  request_memory_.give_back();
  const std::size_t held = reader_.held_bytes();
  if (held <= settings_->max_header_bytes) return;
  if (request_memory_.grow_to(held, settings_->max_request_bytes_under_way)) return;
  reader_.refuse({base::ErrorCode::kOverloaded, "too many request bodies are being read; see Retry-After",
                  "max_request_bytes_under_way is used up"});
}

/// Writes as much of `pieces` as can be without waiting for anybody, and leaves the rest in it. Most answers need no
/// more, and a function costs less than a coroutine.
Http1Connection::Progress Http1Connection::write_now(std::vector<Bytes>& pieces) {
  std::size_t next = 0;
  while (true) {
    if (bytes_this_turn_ >= kBytesInOneTurn) return Progress::kTurnIsOver;
    while (next < pieces.size() && pieces[next].empty()) ++next;
    if (next == pieces.size()) return Progress::kDone;
    if (is_aborted_) return Progress::kClosed;
    const Transport::Outcome outcome = transport_->write(Transport::Pieces(pieces).subspan(next));
    if (outcome.result == Transport::Result::kClosed) return Progress::kClosed;
    if (outcome.result == Transport::Result::kWouldBlock) return Progress::kBlocked;
    std::size_t written = outcome.bytes;
    for (std::size_t i = next; written > 0; ++i) {
      const std::size_t taken = std::min(written, pieces[i].size());
      pieces[i] = pieces[i].subspan(taken);
      written -= taken;
    }
    bytes_this_turn_ += outcome.bytes;
    patience_.taken(outcome.bytes);
  }
}

/// Writes all of `pieces`. False when the client has left or takes them too slowly.
asio::awaitable<bool> Http1Connection::write(std::vector<Bytes> pieces) {
  while (true) {
    const Progress progress = write_now(pieces);
    if (progress == Progress::kDone) co_return true;
    if (progress == Progress::kClosed) co_return false;
    if (progress == Progress::kTurnIsOver) {
      co_await give_others_a_turn();
      continue;
    }
    watch_output();
    const auto began = Clock::now();
    const bool rung = co_await alarm_.wait_until(patience_.end_of(began));
    if (!rung) co_return false;
    patience_.waited(Clock::now() - began);
    begin_turn();
  }
}

asio::awaitable<void> Http1Connection::give_others_a_turn() {
  begin_turn();
  co_await yield();
}

void Http1Connection::begin_turn() {
  bytes_this_turn_ = 0;
  requests_this_turn_ = 0;
}

/// Wakes this connection from any thread.
std::function<void()> Http1Connection::make_wake() {
  return [weak = weak_from_this(), this, &loop = loop_] {
    loop.post([weak, this] {
      if (const auto self = weak.lock()) alarm_.ring();
    });
  };
}

}  // namespace optimux::server
