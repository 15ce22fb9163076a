#include "server/tls_transport.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include <openssl/err.h>

#include "server/openssl_error.hpp"
#include "server/openssl_handles.hpp"
#include "server/record_sizer.hpp"
#include "server/transport_bio.hpp"

namespace optimux::server {
namespace {

using Clock = RecordSizer::Clock;
using RecordBuffer = std::array<std::byte, RecordSizer::kLargest>;

/// What OpenSSL may read in one call. A record without content (a change of keys, a request for a new handshake) makes
/// it read the next one, and it would never come back from a client that sends nothing else: the whole server would
/// wait. One record of the largest size has to fit, with what encryption adds (RFC 8446, section 5.2).
constexpr std::size_t kAllowance = RecordSizer::kLargest + 512;
/// Messages of TLS itself, changes of keys above all, that a client may send after the handshake: each costs it 27
/// bytes and the server several derivations. Those who need one at all need it after gigabytes.
constexpr int kMostMessages = 64;

/// The first `limit` bytes of `pieces`. They are copied only if they are not in one piece.
std::span<const std::byte> gather(Transport::Pieces pieces, std::size_t limit, RecordBuffer& buffer) {
  while (!pieces.empty() && pieces.front().empty()) pieces = pieces.subspan(1);
  if (pieces.empty()) return {};
  if (pieces.size() == 1 || pieces.front().size() >= limit) {
    return pieces.front().first(std::min(limit, pieces.front().size()));
  }
  std::size_t count = 0;
  for (const auto& piece : pieces) {
    const std::size_t taken = std::min(limit - count, piece.size());
    if (taken > 0) std::memcpy(buffer.data() + count, piece.data(), taken);
    count += taken;
    if (count == limit) break;
  }
  return {buffer.data(), count};
}

class OpenSslTransport final : public TlsTransport {
 public:
  OpenSslTransport(EventLoop& loop, std::shared_ptr<const TlsContext> context, std::unique_ptr<Transport> below,
                   std::string input)
      : loop_(loop), context_(std::move(context)), state_{std::move(below), std::move(input)} {
    ssl_.reset(SSL_new(context_->native()));
    if (!ssl_) throw std::bad_alloc();
    BIO* const bio = make_transport_bio(state_).release();
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_accept_state(ssl_.get());
    SSL_set_app_data(ssl_.get(), this);
    SSL_set_info_callback(ssl_.get(), &OpenSslTransport::note_message);
  }
  ~OpenSslTransport() override { OpenSslTransport::close(); }

  Handshake handshake() override {
    begin_call();
    const int result = SSL_do_handshake(ssl_.get());
    may_hold_input_ = true;
    if (result == 1) {
      is_agreed_ = true;
      reading_waits_for_ = Direction::kRead;
      return Handshake::kDone;
    }
    if (is_blocked(result, reading_waits_for_)) {
      may_hold_input_ = false;
      return Handshake::kWaits;
    }
    return Handshake::kFailed;
  }

  Outcome read(std::span<char> buffer) override {
    if (is_broken_) return {Result::kClosed, 0};
    std::size_t moved = 0;
    begin_call();
    const int result = SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &moved);
    may_hold_input_ = result == 1;
    if (messages_ > kMostMessages) return give_up("too many messages of TLS itself");
    if (result == 1) {
      reading_waits_for_ = Direction::kRead;
      return {Result::kDone, moved};
    }
    return {is_blocked(result, reading_waits_for_) ? Result::kWouldBlock : Result::kClosed, 0};
  }

  Outcome write(Pieces pieces) override {
    if (is_broken_) return {Result::kClosed, 0};
    RecordBuffer buffer;  // Not initialised; only what is gathered is read.
    const std::size_t limit = unfinished_ > 0 ? unfinished_ : sizer_.limit(Clock::now());
    const auto content = gather(pieces, limit, buffer);
    assert(!content.empty() && content.size() >= unfinished_ && "bytes that were not taken are offered again");
    std::size_t moved = 0;
    begin_call();
    const int result = SSL_write_ex(ssl_.get(), content.data(), content.size(), &moved);
    if (result == 1) {
      unfinished_ = 0;
      writing_waits_for_ = Direction::kWrite;
      sizer_.wrote(moved, Clock::now());
      return {Result::kDone, moved};
    }
    if (!is_blocked(result, writing_waits_for_)) return {Result::kClosed, 0};
    unfinished_ = content.size();
    return {Result::kWouldBlock, 0};
  }

  std::size_t room() const override { return state_.below->room(); }
  void set_unsent_limit(std::size_t bytes) override { state_.below->set_unsent_limit(bytes); }

  void when_readable(std::function<void()> ready) override {
    const bool holds_input = may_hold_input_ && (SSL_has_pending(ssl_.get()) == 1 || !state_.input.empty());
    if (holds_input || is_broken_) return post(std::move(ready));
    wait(reading_waits_for_, std::move(ready));
  }
  void when_writable(std::function<void()> ready) override {
    if (is_broken_) return post(std::move(ready));
    wait(writing_waits_for_, std::move(ready));
  }
  void when_gone(std::function<void()> gone) override { state_.below->when_gone(std::move(gone)); }

  void set_record_limit(std::size_t bytes) override {
    assert(bytes <= RecordSizer::kLargest);
    sizer_.fix(bytes);
  }

  /// `close_notify` may have to wait for room, as any other record.
  void finish_writing() override {
    begin_call();
    auto waits_for = Direction::kWrite;
    const bool has_notice = !is_broken_ && is_ready() && unfinished_ == 0;
    const int result = has_notice ? SSL_shutdown(ssl_.get()) : 0;
    if (result >= 0 || !is_blocked(result, waits_for)) return state_.below->finish_writing();
    wait(waits_for, [this] { finish_writing(); });
  }

  void close() override {
    alive_.reset();
    state_.below->close();
  }

  const std::string& failure() const override { return failure_; }

  std::string_view protocol() const override {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }

  TlsVersion version() const override {
    return SSL_version(ssl_.get()) == TLS1_3_VERSION ? TlsVersion::k13 : TlsVersion::k12;
  }
  bool is_resumed() const override { return SSL_session_reused(ssl_.get()) == 1; }

 private:
  enum class Direction { kRead, kWrite };

  void begin_call() {
    ERR_clear_error();
    state_.allowance = kAllowance;
  }

  /// OpenSSL tells of each message that it has read, and of alerts that it sends in answer.
  static void note_message(const SSL* ssl, int where, int /*value*/) {
    auto& self = *static_cast<OpenSslTransport*>(SSL_get_app_data(ssl));
    const bool is_message = where == SSL_CB_ACCEPT_LOOP || where == SSL_CB_WRITE_ALERT;
    if (self.is_agreed_ && is_message) ++self.messages_;
  }

  Outcome give_up(std::string reason) {
    is_broken_ = true;
    failure_ = std::move(reason);
    return {Result::kClosed, 0};
  }

  bool is_ready() const { return SSL_is_init_finished(ssl_.get()) == 1; }

  /// Whether the call that gave `result` can go on later, and what it waits for. TLS reads to write and writes to read:
  /// keys are changed on the way. If it cannot, the connection is over, unless the client has merely said that it will
  /// send no more.
  bool is_blocked(int result, Direction& waits_for) {
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
      waits_for = error == SSL_ERROR_WANT_READ ? Direction::kRead : Direction::kWrite;
      return true;
    }
    if (error == SSL_ERROR_ZERO_RETURN && is_ready()) return false;
    is_broken_ = true;
    failure_ = error == SSL_ERROR_SSL ? take_openssl_reason() : "the client has left";
    return false;
  }

  void wait(Direction direction, std::function<void()> ready) {
    if (direction == Direction::kRead) {
      state_.below->when_readable(std::move(ready));
    } else {
      state_.below->when_writable(std::move(ready));
    }
  }

  void post(std::function<void()> ready) {
    loop_.post([alive = std::weak_ptr<int>(alive_), ready = std::move(ready)] {
      if (!alive.expired()) ready();
    });
  }

  EventLoop& loop_;
  const std::shared_ptr<const TlsContext> context_;  ///< OpenSSL's side of it points back to this one.
  TransportBioState state_;
  SslHandle ssl_;
  RecordSizer sizer_;
  std::size_t unfinished_ = 0;  ///< Content of a record that is encrypted and not yet written whole.
  Direction reading_waits_for_ = Direction::kRead;
  Direction writing_waits_for_ = Direction::kWrite;
  /// Whether OpenSSL may have whole records in hand: it has until a read or the handshake had to wait. What it holds
  /// after that is a part of one, and only more bytes will help.
  bool may_hold_input_ = true;
  bool is_agreed_ = false;  ///< The handshake is done.
  int messages_ = 0;        ///< Of TLS itself, since then.
  bool is_broken_ = false;
  std::string failure_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< For tasks in the loop.
};

}  // namespace

std::unique_ptr<TlsTransport> make_tls_transport(EventLoop& loop, std::shared_ptr<const TlsContext> context,
                                                 std::unique_ptr<Transport> below, std::string input) {
  return std::make_unique<OpenSslTransport>(loop, std::move(context), std::move(below), std::move(input));
}

}  // namespace optimux::server
