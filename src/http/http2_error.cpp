#include "http/http2_error.hpp"

namespace optimux::http {

std::string_view name_of(Http2Error error) {
  switch (error) {
    case Http2Error::kNoError: return "no_error";
    case Http2Error::kProtocolError: return "protocol_error";
    case Http2Error::kInternalError: return "internal_error";
    case Http2Error::kFlowControlError: return "flow_control_error";
    case Http2Error::kSettingsTimeout: return "settings_timeout";
    case Http2Error::kStreamClosed: return "stream_closed";
    case Http2Error::kFrameSizeError: return "frame_size_error";
    case Http2Error::kRefusedStream: return "refused_stream";
    case Http2Error::kCancel: return "cancel";
    case Http2Error::kCompressionError: return "compression_error";
    case Http2Error::kConnectError: return "connect_error";
    case Http2Error::kEnhanceYourCalm: return "enhance_your_calm";
    case Http2Error::kInadequateSecurity: return "inadequate_security";
    case Http2Error::kHttp11Required: return "http_1_1_required";
  }
  return "unknown";
}

}  // namespace optimux::http
