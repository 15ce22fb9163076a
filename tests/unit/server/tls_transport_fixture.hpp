#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/tls_transport.hpp"
#include "unit/server/tls_peer.hpp"

namespace optimux::server {

inline const TestCertificate& certificate() {
  static const TestCertificate kCertificate = make_test_certificate("server.example");
  return kCertificate;
}

/// A server and a client at the two ends of a wire.
class TlsTransportTest : public testing::Test {
 protected:
  using Handshake = TlsTransport::Handshake;
  using Result = Transport::Result;

  void connect(const TlsPeer::Settings& client = {}, std::string input = {}) {
    const TlsFiles files(certificate());
    TlsContext::Settings settings = files.settings();
    settings.offers_http2 = offers_http2_;
    settings.min_version = min_version_;
    const auto context = TlsContext::make(settings, tickets_);
    server_ = make_tls_transport(loop_, *context, make_wire_transport(loop_, wire_), std::move(input));
    client_ = std::make_unique<TlsPeer>(wire_, client);
  }

  /// Waits as a connection does: once, for what the handshake waits for.
  Handshake go_on_with_handshake() {
    const Handshake state = server_->handshake();
    if (state == Handshake::kWaits) server_->when_readable([] {});
    return state;
  }

  /// True when both sides are done.
  bool shake_hands() {
    bool is_client_done = client_->shake_hands();
    Handshake state = Handshake::kWaits;
    for (int i = 0; i < 20'000 && (state == Handshake::kWaits || !is_client_done); ++i) {
      if (state == Handshake::kWaits) state = go_on_with_handshake();
      if (state == Handshake::kFailed || client_->has_failed()) return false;
      if (!is_client_done) is_client_done = client_->shake_hands();
    }
    return state == Handshake::kDone && is_client_done;
  }

  /// Writes all of `text` in pieces of `piece` bytes; false when the connection breaks.
  bool write(std::string_view text, std::size_t piece = 1u << 30) {
    while (!text.empty()) {
      std::vector<std::span<const std::byte>> pieces;
      for (std::size_t at = 0; at < text.size(); at += piece) {
        pieces.push_back(std::as_bytes(std::span(text.substr(at, piece))));
      }
      const Transport::Outcome outcome = server_->write(pieces);
      if (outcome.result == Result::kClosed) return false;
      if (outcome.result == Result::kWouldBlock) server_->when_writable([] {});
      text.remove_prefix(outcome.bytes);
    }
    return true;
  }

  /// Reads until nothing more comes.
  std::string read(std::size_t at_once = 4'096) {
    std::string text;
    std::vector<char> buffer(at_once);
    int waits = 0;
    while (waits < 2 || !wire_.to_server.empty()) {
      const Transport::Outcome outcome = server_->read(buffer);
      last_read_ = outcome.result;
      if (outcome.result == Result::kClosed) return text;
      text.append(buffer.data(), outcome.bytes);
      waits = outcome.result == Result::kDone ? 0 : waits + 1;
      if (outcome.result == Result::kWouldBlock) server_->when_readable([] {});
    }
    return text;
  }

  EventLoop loop_;
  Wire wire_;
  std::shared_ptr<TicketKeys> tickets_ = std::make_shared<TicketKeys>();
  bool offers_http2_ = false;
  TlsVersion min_version_ = TlsVersion::k12;
  std::unique_ptr<TlsTransport> server_;
  std::unique_ptr<TlsPeer> client_;
  Result last_read_ = Result::kDone;
};

}  // namespace optimux::server
