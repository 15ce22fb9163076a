#include "unit/http/http2_dialogue.hpp"

#include <algorithm>
#include <iterator>

namespace optimux::http {
namespace {

std::uint32_t number_in(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::string error_in(std::string_view payload, std::size_t offset) {
  return std::string(name_of(static_cast<Http2Error>(number_in(payload.substr(offset, 4)))));
}

}  // namespace

Http2Dialogue::Http2Dialogue() {
  say(http2_preface() + http2_frame(Http2FrameType::kSettings, Http2FrameHead::kAck, 0, ""));
  frames_.clear();
}

Http2Dialogue& Http2Dialogue::say(std::string_view bytes) {
  link_.to_server(bytes);
  for (Http2Event& event : link_.events()) {
    if (auto* const request = std::get_if<Http2Request>(&event)) {
      requests_[request->stream] = std::move(request->request);
      if (!holds_answers_) answer(request->stream);
    } else if (const auto* const refusal = std::get_if<Http2Refusal>(&event)) {
      link_.session.respond(refusal->stream, {400, {}, std::nullopt}, false);
    }
  }
  take_output();
  return *this;
}

void Http2Dialogue::answer(StreamId stream) {
  link_.answer(stream, "answer");
  take_output();
}

void Http2Dialogue::take_output() {
  link_.produce();
  std::string bytes;
  while (!link_.session.output().empty()) {
    const auto piece = link_.session.output().front(1).at(0);
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    link_.session.output().take(piece.size());
  }
  constexpr std::size_t kHead = 9;
  for (std::string_view rest = bytes; rest.size() >= kHead;) {
    Http2FrameHead head;
    head.length = number_in(rest.substr(0, 3));
    head.type = static_cast<Http2FrameType>(rest[3]);
    head.flags = static_cast<std::uint8_t>(rest[4]);
    head.stream = static_cast<StreamId>(number_in(rest.substr(5, 4)));
    frames_.push_back({head, std::string(rest.substr(kHead, head.length))});
    rest.remove_prefix(kHead + head.length);
  }
}

std::string Http2Dialogue::fate_of(StreamId stream) const {
  for (const auto& [head, payload] : frames_) {
    if (head.type == Http2FrameType::kGoaway) return "goaway " + error_in(payload, 4);
    if (stream == 0 || head.stream != stream) continue;
    if (head.type == Http2FrameType::kRstStream) return "reset " + error_in(payload, 0);
    const bool is_answer = head.type == Http2FrameType::kHeaders || head.type == Http2FrameType::kData;
    if (is_answer && head.has(Http2FrameHead::kEndStream)) return "answered";
  }
  return "";
}

std::vector<Http2Dialogue::Frame> Http2Dialogue::frames(Http2FrameType type) const {
  std::vector<Frame> found;
  std::copy_if(frames_.begin(), frames_.end(), std::back_inserter(found),
               [type](const Frame& frame) { return frame.head.type == type; });
  return found;
}

std::string hpack_literal(std::string_view name, std::string_view value) {
  const std::string field(1, '\0');
  return field + static_cast<char>(name.size()) + std::string(name) + static_cast<char>(value.size()) +
         std::string(value);
}

std::string hpack_get(std::string_view without) {
  std::string block;
  for (const HeaderField& field :
       Headers{{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "x"}}) {
    if (field.name != without) block += hpack_literal(field.name, field.value);
  }
  return block;
}

std::string http2_headers(StreamId stream, std::string_view block, bool ends_stream) {
  return http2_frame(Http2FrameType::kHeaders, ends_stream ? 0x5 : 0x4, static_cast<std::uint32_t>(stream), block);
}

std::string http2_data(StreamId stream, std::string_view bytes, bool ends_stream) {
  return http2_frame(Http2FrameType::kData, ends_stream ? 0x1 : 0x0, static_cast<std::uint32_t>(stream), bytes);
}

}  // namespace optimux::http
