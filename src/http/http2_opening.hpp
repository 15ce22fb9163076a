#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace optimux::http {

/// What a client of HTTP/2 sends first (RFC 9113, section 3.4). No request of HTTP/1.1 begins like this.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class PrefaceMatch {
  kNone,   ///< This is something else.
  kBegun,  ///< All of it is the begin of the preface; it may become one.
  kWhole,  ///< It begins with the whole preface.
};

/// Whether the first bytes of a connection are the preface.
PrefaceMatch match_http2_preface(std::string_view input);

/// The payload of the client's SETTINGS frame if `request` asks for its connection to become HTTP/2 (`Upgrade: h2c`,
/// RFC 7540, section 3.2) and may be granted that: HTTP/1.1, without a body, `Connection` with `Upgrade` and
/// `HTTP2-Settings`, and exactly one `HTTP2-Settings` in base64url that gives whole entries of 6 bytes. Anything else
/// is answered as if nothing had been asked. On cleartext connections only; the caller knows.
std::optional<std::string> read_h2c_upgrade(const Request& request);

/// The interim response that grants it.
inline constexpr std::string_view kSwitchingToHttp2 =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";

}  // namespace optimux::http
