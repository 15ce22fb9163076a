#include "source/bridge_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

namespace optimux::source {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
// At most so many calls in a row: others want the loop too.
constexpr int kSendsInARow = 16;
constexpr std::size_t kSendBytes = 64 << 10;

bool would_block() {
  return errno == EAGAIN;  // EWOULDBLOCK is the same on Linux.
}

}  // namespace

BridgeConnection::BridgeConnection(BridgeContext& context, Descriptor socket, std::function<void()> closed)
    : context_(context), socket_(std::move(socket)), closed_(std::move(closed)) {}

void BridgeConnection::start() {
  expect_head();
  on_ready(Reactor::kRead);
}

void BridgeConnection::resume() {
  if (!is_answering_ || is_blocked_) return;
  const auto self = shared_from_this();
  send_what_is_there();
  update_interest();
}

void BridgeConnection::close(bool is_cut) {
  if (!socket_) return;
  stop_head_timer();
  if (interest_ != Reactor::kNone) context_.reactor.watch(socket_.get(), Reactor::kNone, {});
  if (is_cut) {
    const linger at_once{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  socket_.reset();
  is_answering_ = false;
  stop_.request_stop();
  closed_();
}

void BridgeConnection::on_ready(unsigned ready) {
  const auto self = shared_from_this();
  if ((ready & Reactor::kRead) != 0 && !receive()) return close(false);
  if ((ready & Reactor::kWrite) != 0) is_blocked_ = false;
  if (!is_answering_) take_head();
  if (is_answering_ && !is_blocked_) send_what_is_there();
  update_interest();
}

// False when the peer has gone, or sends more than one head at a time.
bool BridgeConnection::receive() {
  std::array<char, 4096> bytes{};
  const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (count < 0) return would_block() || errno == EINTR;
  input_.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0 && (!is_answering_ || input_.size() <= context_.settings.max_head_bytes);
}

void BridgeConnection::take_head() {
  const std::size_t found = std::string_view(input_).substr(0, context_.settings.max_head_bytes).find(kHeadEnd);
  if (found == std::string::npos) {
    if (input_.size() >= context_.settings.max_head_bytes) refuse(431);
    return;
  }
  const std::string head = input_.substr(0, found + kHeadEnd.size());
  input_.erase(0, head.size());
  stop_head_timer();
  const auto request = read_bridge_request(head, context_.authorization, context_.reader->size());
  if (!request) return refuse(request.error());
  begin(*request);
}

void BridgeConnection::begin(const BridgeRequest& request) {
  ++context_.counters.requests;
  is_trusted_ = true;
  is_answering_ = true;
  request_ = request;
  answer_ = bridge_answer_head(request, context_.reader->size());
  begin_ = position_ = request.range.first;
  end_ = request.is_head ? begin_ : begin_ + request.range.count;
  wanted_ = context_.settings.min_read_bytes;
}

// As much of it as the peer takes at once: a refusal is small, and nobody waits for who does not read it.
void BridgeConnection::refuse(int status) {
  ++context_.counters.refused;
  const std::string answer = bridge_refusal(status, context_.reader->size());
  static_cast<void>(::send(socket_.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  close(false);
}

void BridgeConnection::send_what_is_there() {
  for (int sends = 0; sends < kSendsInARow && is_answering_ && !is_blocked_; ++sends) {
    std::size_t sent = 0;
    if (!answer_.empty()) {
      if (!send_some(std::as_bytes(std::span(answer_)), sent)) return close(false);
      answer_.erase(0, sent);
    } else if (position_ == end_) {
      finish_request();
    } else {
      auto bytes = context_.reader->find(position_);
      if (bytes.empty()) break;
      bytes = bytes.first(std::min<std::uint64_t>({bytes.size(), end_ - position_, kSendBytes}));
      if (!send_some(bytes, sent)) return close(false);
      position_ += sent;
      context_.counters.sent_bytes += sent;
    }
  }
  if (is_answering_) fetch_ahead();
}

// False when the connection is of no use any more.
bool BridgeConnection::send_some(std::span<const std::byte> bytes, std::size_t& sent) {
  const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) {
    sent = static_cast<std::size_t>(count);
    return true;
  }
  is_blocked_ = would_block();
  return is_blocked_ || errno == EINTR;
}

// Who reads a first part of what was asked for may be about to look elsewhere: nothing is fetched ahead of that. From
// then on each read doubles what is there ahead.
void BridgeConnection::fetch_ahead() {
  const RangeBridgeSettings& settings = context_.settings;
  if (position_ == end_) return;
  const bool goes_on = position_ - begin_ >= settings.min_read_bytes;
  if (!goes_on && !context_.reader->find(position_).empty()) return;
  const bool is_begun = context_.reader->fetch(position_, end_, wanted_, stop_.get_token());
  if (is_begun && goes_on) wanted_ = std::min(2 * wanted_, settings.max_read_bytes);
}

void BridgeConnection::finish_request() {
  is_answering_ = false;
  if (!request_.is_persistent) return close(false);
  expect_head();
  take_head();
}

void BridgeConnection::expect_head() {
  head_timer_ = context_.reactor.start_timer(context_.settings.head_time, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_head_time();
  });
}

void BridgeConnection::on_head_time() {
  head_timer_ = 0;
  if (!is_trusted_) ++context_.counters.refused;
  close(false);
}

void BridgeConnection::stop_head_timer() {
  if (head_timer_ != 0) context_.reactor.cancel_timer(std::exchange(head_timer_, 0));
}

void BridgeConnection::update_interest() {
  if (!socket_) return;
  // What is left to be sent, though the peer takes it and it is in memory, is for the loop's next turn.
  const bool has_more = is_answering_ && (!answer_.empty() || !context_.reader->find(position_).empty());
  const unsigned interest = Reactor::kRead | (is_blocked_ || has_more ? Reactor::kWrite : Reactor::kNone);
  if (interest == interest_) return;
  interest_ = interest;
  context_.reactor.watch(socket_.get(), interest, [weak = weak_from_this()](unsigned ready) {
    if (const auto self = weak.lock()) self->on_ready(ready);
  });
}

}  // namespace optimux::source
