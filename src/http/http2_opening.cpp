#include "http/http2_opening.hpp"

#include <algorithm>
#include <cstdint>

namespace optimux::http {
namespace {

constexpr std::size_t kBytesOfAnEntry = 6;  // RFC 9113, section 6.5.1.

std::optional<std::uint32_t> value_of_base64url(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-') return 62;
  if (c == '_') return 63;
  return std::nullopt;
}

/// Without padding, as HTTP2-Settings has it.
std::optional<std::string> decode_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = value_of_base64url(c);
    if (!value) return std::nullopt;
    bits = (bits << 6 | *value) & 0xffffU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xffU));
  }
  if (count >= 6) return std::nullopt;  // A digit that gives no byte.
  return bytes;
}

bool has_body(const Request& request) {
  return request.headers.has("Transfer-Encoding") || request.headers.find("Content-Length").value_or("0") != "0";
}

}  // namespace

PrefaceMatch match_http2_preface(std::string_view input) {
  if (input.starts_with(kHttp2Preface)) return PrefaceMatch::kWhole;
  return kHttp2Preface.starts_with(input) ? PrefaceMatch::kBegun : PrefaceMatch::kNone;
}

std::optional<std::string> read_h2c_upgrade(const Request& request) {
  const Headers& headers = request.headers;
  const bool is_asked = request.minor_version >= 1 && headers.has_token("Upgrade", "h2c") &&
                        headers.has_token("Connection", "Upgrade") && headers.has_token("Connection", "HTTP2-Settings");
  if (!is_asked || has_body(request)) return std::nullopt;
  // Two of them are joined by a comma, which is no digit.
  auto settings = decode_base64url(headers.joined("HTTP2-Settings"));
  if (!headers.has("HTTP2-Settings") || !settings || settings->size() % kBytesOfAnEntry != 0) return std::nullopt;
  return settings;
}

}  // namespace optimux::http
