#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "server/http2_connection_inner.hpp"

namespace optimux::server {
namespace {

namespace asio = boost::asio;

/// After as many a connection that never has to wait lets the others have a turn.
constexpr int kReadsInOneTurn = 16;

/// What is framed at once, whatever the network says: enough for a full record of TLS, and so little that what is more
/// urgent a moment later does not wait behind it.
constexpr std::size_t kLeastBudget = 8'192;
constexpr std::size_t kMostBudget = 65'536;
/// The rest of a budget that is not worth a frame of its own.
constexpr std::size_t kLeastFrame = 1'024;
constexpr std::size_t kPiecesAtOnce = 64;

/// The request of a browser for a picture takes 500 to 1,500 bytes of memory.
constexpr std::size_t kUsualHead = 2'048;

}  // namespace

/// Reads once. True if something came; if nothing is there, the connection is woken when there is.
bool Http2Connection::read_input() {
  if (watches_input_ || input_is_closed_ || is_broken_) return false;
  std::array<char, kReadSize> input;  // Not a member: thousands of idle connections need no buffer.
  const Transport::Outcome outcome = transport_->read(input);
  if (outcome.result == Transport::Result::kDone) {
    ++reads_this_turn_;
    take_input(std::span<const char>(input).first(outcome.bytes));
    return true;
  }
  if (outcome.result == Transport::Result::kClosed) {
    input_is_closed_ = true;
  } else {
    watch_input();
  }
  return false;
}

void Http2Connection::take_input(std::span<const char> bytes) {
  session_.feed(std::as_bytes(bytes), Clock::now());
  while (!count_input()) {
    if (!session_.refuse_largest(no_memory_for_requests())) return;
  }
}

/// What is no more than a head may be is free: a request without a body is never refused for those of others. False
/// when the memory for requests is used up.
bool Http2Connection::count_input() {
  input_memory_.give_back();
  const std::size_t held = session_.held_bytes();
  return held <= settings_->max_header_bytes || input_memory_.grow_to(held, settings_->max_request_bytes_under_way);
}

/// A request is held until its answer has been sent: one stalled connection could hold as many heads as it has streams,
/// at the price of a few bytes each, because HPACK names again what it has named before. One large head and usual ones
/// of all open requests are free: a client that asks for nothing out of the way is never refused for those of others.
bool Http2Connection::count_request(std::size_t bytes) {
  const std::size_t held = request_bytes_ + bytes;
  const bool is_free = held <= settings_->max_header_bytes + session_.open_streams() * kUsualHead;
  if (!is_free && !request_memory_.grow_to(held, settings_->max_request_bytes_under_way)) return false;
  request_bytes_ = held;
  return true;
}

void Http2Connection::forget_request(const Exchange& exchange) {
  request_bytes_ -= http::size_of(exchange.request());
  request_memory_.give_back();
  count_request(0);
}

base::Error Http2Connection::no_memory_for_requests() {
  return {base::ErrorCode::kOverloaded, "too many request bodies are being read; see Retry-After",
          "max_request_bytes_under_way is used up"};
}

/// Writes what there is, and asks for more whenever the last write is through: the order is decided as late as that.
/// True when there is more than one turn allows.
bool Http2Connection::pump() {
  while (!watches_output_ && !is_broken_ && fill_output()) {
    if (bytes_this_turn_ >= kBytesInOneTurn) return true;
    write_some();
  }
  return false;
}

/// True if there is something to write.
bool Http2Connection::fill_output() {
  http::Http2Output& output = session_.output();
  if (!output.empty()) return true;
  const std::size_t budget = std::clamp(transport_->room(), kLeastBudget, kMostBudget);
  const auto now = Clock::now();
  while (output.size() < budget) {
    const auto produced = session_.produce(std::max(budget - output.size(), kLeastFrame), now);
    if (!produced) break;
    if (produced->stream != 0) note(*produced);
  }
  std::move(retired_.begin(), retired_.end(), std::back_inserter(in_output_));
  retired_.clear();
  if (output.empty()) finish_sent();
  return !output.empty();
}

void Http2Connection::note(const http::Http2Produced& produced) {
  const auto found = streams_.find(produced.stream);
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  stream.sent_bytes += produced.bytes;
  bodies_in_output_ += produced.bytes;
  if (produced.bytes > 0) stream.patience.taken(produced.bytes);
  if (produced.is_end) {
    retire(produced.stream, stream);
  } else if (produced.is_dry) {
    supply(produced.stream, stream);
  }
}

void Http2Connection::write_some() {
  http::Http2Output& output = session_.output();
  const auto pieces = output.front(kPiecesAtOnce);
  const Transport::Outcome outcome = transport_->write(pieces);
  switch (outcome.result) {
    case Transport::Result::kClosed: is_broken_ = true; break;
    case Transport::Result::kWouldBlock: watch_output(); break;
    case Transport::Result::kDone:
      output.take(outcome.bytes);
      bytes_this_turn_ += outcome.bytes;
      count_taken(outcome.bytes);
      if (output.empty()) finish_sent();
      break;
  }
}

/// While the client's window keeps bodies waiting, bodies alone count: what goes out beside them, in answer to frames
/// that cost the client nothing, is no sign that it wants them.
void Http2Connection::count_taken(std::size_t bytes) {
  const std::size_t of_bodies = std::min(bytes, bodies_in_output_);
  bodies_in_output_ -= of_bodies;
  const std::size_t counted = session_.is_window_closed() ? of_bodies : bytes;
  if (counted > 0) patience_.taken(counted);
}

void Http2Connection::finish_sent() {
  for (const auto& exchange : in_output_) {
    exchange->finish();
    forget_request(*exchange);
  }
  in_output_.clear();
}

bool Http2Connection::is_turn_over() const {
  return reads_this_turn_ >= kReadsInOneTurn || bytes_this_turn_ >= kBytesInOneTurn;
}

void Http2Connection::begin_turn() {
  reads_this_turn_ = 0;
  bytes_this_turn_ = 0;
}

asio::awaitable<void> Http2Connection::give_others_a_turn() {
  begin_turn();
  co_await yield();
}

}  // namespace optimux::server
