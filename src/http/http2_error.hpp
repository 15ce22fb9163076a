#pragma once

#include <cstdint>
#include <string_view>

namespace optimux::http {

/// Why a stream or a connection ends (RFC 9113, section 7).
enum class Http2Error : std::uint32_t {
  kNoError = 0x0,
  kProtocolError = 0x1,
  kInternalError = 0x2,
  kFlowControlError = 0x3,
  kSettingsTimeout = 0x4,
  kStreamClosed = 0x5,
  kFrameSizeError = 0x6,
  kRefusedStream = 0x7,
  kCancel = 0x8,
  kCompressionError = 0x9,
  kConnectError = 0xa,
  kEnhanceYourCalm = 0xb,
  kInadequateSecurity = 0xc,
  kHttp11Required = 0xd,
};

/// The error's name in snake case, for logs and metrics; `unknown` for a number that has none.
std::string_view name_of(Http2Error error);

}  // namespace optimux::http
