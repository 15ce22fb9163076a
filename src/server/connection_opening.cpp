#include "server/connection_opening.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "http/http2_opening.hpp"
#include "server/alarmed_connection.hpp"
#include "server/event_loop_inner.hpp"
#include "server/http1_connection.hpp"
#include "server/tls_transport.hpp"

namespace optimux::server {
namespace {

namespace asio = boost::asio;

/// More than a ClientHello has, and more than most requests.
constexpr std::size_t kReadSize = 4'096;

/// Methods begin with letters; a record of TLS begins with its type, a number below 32 (RFC 8446, section 5.1).
bool looks_like_http(char first) {
  return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
}

class ConnectionOpening final : public AlarmedConnection, public std::enable_shared_from_this<ConnectionOpening> {
 public:
  ConnectionOpening(const ConnectionHost& host, Arrival arrival, std::shared_ptr<const TlsContext> tls)
      : AlarmedConnection(host.state.loop.inner().context),
        host_(host),
        settings_(host.state.settings),
        arrival_(std::move(arrival)),
        tls_(std::move(tls)) {
    host_.registry.add(*this);
    host_.registry.set_idle(*this, true);
  }
  ~ConnectionOpening() { leave_registry(); }

  asio::awaitable<void> run() {
    if (tls_ != nullptr) {
      co_await open_tls();
    } else {
      co_await open_cleartext();
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  asio::awaitable<void> open_cleartext() {
    http::PrefaceMatch match = http::PrefaceMatch::kBegun;
    while (match == http::PrefaceMatch::kBegun) {
      const bool has_more = co_await read_more();
      if (!has_more) co_return;
      match = http::match_http2_preface(arrival_.input);
    }
    if (match == http::PrefaceMatch::kWhole) {
      start_http2();
    } else {
      start_http1();
    }
  }

  asio::awaitable<void> open_tls() {
    const bool has_bytes = co_await read_more();
    if (!has_bytes) co_return;
    if (looks_like_http(arrival_.input.front())) {
      host_.state.metrics.count_handshake("cleartext");
      if (!arrival_.refusal) {
        arrival_.refusal = base::Error{base::ErrorCode::kMalformedRequest, "this port speaks TLS: use https", {}};
      }
      start_http1();
      co_return;
    }
    auto transport = make_tls_transport(host_.state.loop, tls_, std::move(arrival_.transport),
                                        std::exchange(arrival_.input, std::string()));
    TlsTransport& secured = *transport;
    arrival_.transport = std::move(transport);
    const bool is_agreed = co_await shake_hands(secured);
    if (!is_agreed) co_return;
    arrival_.client.tls = name_of(secured.version());
    if (secured.protocol() == "h2") {
      start_http2();
    } else {
      start_http1();
    }
  }

  /// False when the connection is over.
  asio::awaitable<bool> shake_hands(TlsTransport& transport) {
    while (!is_aborted_) {
      const auto state = is_waiting_ ? TlsTransport::Handshake::kWaits : transport.handshake();
      if (state != TlsTransport::Handshake::kWaits) {
        note_handshake(transport, state == TlsTransport::Handshake::kDone);
        co_return state == TlsTransport::Handshake::kDone;
      }
      const bool has_time = co_await wait_for_input();
      if (!has_time) break;
    }
    host_.state.metrics.count_handshake("abandoned");
    co_return false;
  }

  void note_handshake(const TlsTransport& transport, bool is_done) {
    if (is_done) return host_.state.metrics.count_handshake(transport.is_resumed() ? "resumed" : "full");
    host_.state.metrics.count_handshake("failed");
    host_.state.log.debug("handshake failed", {{"client", arrival_.client.address}, {"reason", transport.failure()}});
  }

  /// Appends to what has been read. False when the connection is over.
  asio::awaitable<bool> read_more() {
    while (!is_aborted_) {
      const auto result = is_waiting_ ? Transport::Result::kWouldBlock : read_once();
      if (result != Transport::Result::kWouldBlock) co_return result == Transport::Result::kDone;
      const bool has_time = co_await wait_for_input();
      if (!has_time) break;
    }
    co_return false;
  }

  /// Not a part of the coroutine, which would keep the buffer for as long as it waits.
  Transport::Result read_once() {
    std::array<char, kReadSize> input;
    const Transport::Outcome outcome = arrival_.transport->read(input);
    if (outcome.result == Transport::Result::kDone) arrival_.input.append(input.data(), outcome.bytes);
    has_begun_ = has_begun_ || outcome.result == Transport::Result::kDone;
    return outcome.result;
  }

  /// Waits until there may be something to read, or something else has happened. False when there is no time left.
  asio::awaitable<bool> wait_for_input() {
    if (!std::exchange(is_waiting_, true)) {
      arrival_.transport->when_readable(ring_with(weak_from_this(), &ConnectionOpening::is_waiting_, false));
    }
    return alarm_.wait_until(last_moment());
  }

  /// A client that has begun may finish while the server drains.
  Clock::time_point last_moment() const {
    const auto end = began_ + settings_->header_timeout;
    const auto& draining_since = host_.state.draining_since;
    if (!draining_since || has_begun_) return end;
    return std::min(end, std::max(*draining_since, began_) + settings_->drain_idle_grace);
  }

  void start_http1() {
    start_http1_connection(host_, std::move(arrival_));
    leave_registry();
  }

  void start_http2() {
    arrival_.client.protocol = "h2";
    host_.http2(host_, std::move(arrival_), std::nullopt);
    leave_registry();
  }

  /// As soon as the connection has entered it as what it has become: it is never without it, and is not taken for an
  /// idle one, which could make room for another, while the end of this coroutine waits for its turn.
  void leave_registry() {
    if (!std::exchange(has_left_, true)) host_.registry.remove(*this);
  }

  const ConnectionHost host_;
  const std::shared_ptr<const ServerSettings> settings_;
  Arrival arrival_;
  const std::shared_ptr<const TlsContext> tls_;
  const Clock::time_point began_ = Clock::now();
  bool has_begun_ = false;   ///< The client has sent something.
  bool is_waiting_ = false;  ///< For the transport to have something to read.
  bool has_left_ = false;    ///< The registry.
};

}  // namespace

void open_connection(const ConnectionHost& host, Arrival arrival, std::shared_ptr<const TlsContext> tls) {
  if (tls == nullptr && host.http2 == nullptr) return start_http1_connection(host, std::move(arrival));
  auto opening = std::make_shared<ConnectionOpening>(host, std::move(arrival), std::move(tls));
  asio::co_spawn(
      host.state.loop.inner().context,
      [opening = std::move(opening)]() -> asio::awaitable<void> { co_await opening->run(); }, asio::detached);
}

}  // namespace optimux::server
