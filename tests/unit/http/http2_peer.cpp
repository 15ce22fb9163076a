#include "unit/http/http2_peer.hpp"

#include <algorithm>
#include <utility>

#include <nghttp2/nghttp2.h>

#include "base/text.hpp"

namespace optimux::http {
namespace {

std::string number(std::uint32_t value, int bytes) {
  std::string text;
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

nghttp2_nv pair_of(const HeaderField& field) {
  auto* const name = const_cast<char*>(field.name.data());
  auto* const value = const_cast<char*>(field.value.data());
  return {reinterpret_cast<std::uint8_t*>(name), reinterpret_cast<std::uint8_t*>(value), field.name.size(),
          field.value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

struct Http2Peer::Callbacks {
  static Http2Peer& peer(void* user) { return *static_cast<Http2Peer*>(user); }

  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                    const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
    Response& response = peer(user).responses_[frame->hd.stream_id];
    const std::string_view field(reinterpret_cast<const char*>(name), name_size);
    const std::string_view text(reinterpret_cast<const char*>(value), value_size);
    if (field == ":status") {
      if (response.status != 0) {
        response.informational.emplace_back(response.status, std::exchange(response.headers, {}));
      }
      response.status = base::parse_number<int>(text).value_or(0);
    } else {
      response.headers.add(field, text);
    }
    return 0;
  }

  static int data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes, std::size_t size,
                  void* user) {
    peer(user).responses_[stream].body.append(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }

  static int received(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Peer& self = peer(user);
    self.frames_.push_back(
        {static_cast<Http2FrameType>(frame->hd.type), frame->hd.stream_id, frame->hd.length, frame->hd.flags});
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      self.goaway_ = static_cast<Http2Error>(frame->goaway.error_code);
      self.goaway_stream_ = frame->goaway.last_stream_id;
    } else if (frame->hd.type == NGHTTP2_RST_STREAM) {
      self.responses_[frame->hd.stream_id].reset = static_cast<Http2Error>(frame->rst_stream.error_code);
    } else if (frame->hd.type == NGHTTP2_SETTINGS) {
      for (std::size_t i = 0; i < frame->settings.niv; ++i) {
        self.server_settings[static_cast<std::uint16_t>(frame->settings.iv[i].settings_id)] =
            frame->settings.iv[i].value;
      }
    } else if (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) {
      if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) self.responses_[frame->hd.stream_id].is_ended = true;
    }
    return 0;
  }

  static ssize_t body(nghttp2_session*, std::int32_t stream, std::uint8_t* buffer, std::size_t most,
                      std::uint32_t* flags, nghttp2_data_source*, void* user) {
    std::string& rest = peer(user).bodies_[stream];
    const std::size_t count = rest.copy(reinterpret_cast<char*>(buffer), most);
    rest.erase(0, count);
    if (rest.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }
};

Http2Peer::Http2Peer() : Http2Peer(Settings{}) {}

Http2Peer::Http2Peer(const Settings& settings) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::received);
  nghttp2_option* options = nullptr;
  nghttp2_option_new(&options);
  nghttp2_option_set_no_auto_window_update(options, settings.opens_windows ? 0 : 1);
  nghttp2_option_set_peer_max_concurrent_streams(options, 1000);
  nghttp2_session_client_new2(&session_, callbacks, this, options);
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initial_window};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &window, 1);
}

Http2Peer::~Http2Peer() {
  nghttp2_session_del(session_);
}

std::int32_t Http2Peer::get(std::string_view path, const Headers& more) {
  return request("GET", path, more);
}

std::int32_t Http2Peer::request(std::string_view method, std::string_view path, const Headers& more,
                                std::optional<std::string> body) {
  Headers fields = {
      {":method", std::string(method)}, {":scheme", "http"}, {":authority", "localhost"}, {":path", std::string(path)}};
  for (const HeaderField& field : more) fields.add(field.name, field.value);
  std::vector<nghttp2_nv> pairs;
  for (const HeaderField& field : fields) pairs.push_back(pair_of(field));
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::body;
  const std::int32_t stream =
      nghttp2_submit_request(session_, nullptr, pairs.data(), pairs.size(), body ? &provider : nullptr, nullptr);
  if (body) bodies_[stream] = std::move(*body);
  return stream;
}

void Http2Peer::reset(std::int32_t stream, Http2Error error) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, static_cast<std::uint32_t>(error));
}

void Http2Peer::ping() {
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
}

void Http2Peer::open_window(std::int32_t stream, std::int32_t bytes) {
  nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, stream, bytes);
}

void Http2Peer::set_initial_window(std::uint32_t bytes) {
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, bytes};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &window, 1);
}

void Http2Peer::priority_update(std::int32_t stream, std::string_view field) {
  raw(http2_frame(Http2FrameType::kPriorityUpdate, 0, 0,
                  number(static_cast<std::uint32_t>(stream), 4) + std::string(field)));
}

void Http2Peer::priority(std::int32_t stream, int weight, bool is_exclusive) {
  const std::string depends = number(is_exclusive ? 0x80000000U : 0U, 4);
  raw(http2_frame(Http2FrameType::kPriority, 0, static_cast<std::uint32_t>(stream),
                  depends + static_cast<char>(weight - 1)));
}

std::string Http2Peer::take() {
  std::string bytes;
  const std::uint8_t* data = nullptr;
  for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &data)) > 0;) {
    bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  return bytes + std::exchange(raw_, {});
}

void Http2Peer::feed(std::string_view bytes) {
  const ssize_t taken =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) failure_ = nghttp2_strerror(static_cast<int>(taken));
}

std::vector<Http2Peer::Frame> Http2Peer::data_frames() const {
  std::vector<Frame> data;
  std::copy_if(frames_.begin(), frames_.end(), std::back_inserter(data),
               [](const Frame& frame) { return frame.type == Http2FrameType::kData; });
  return data;
}

std::string http2_frame(Http2FrameType type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  return number(static_cast<std::uint32_t>(payload.size()), 3) + static_cast<char>(type) + static_cast<char>(flags) +
         number(stream, 4) + std::string(payload);
}

std::string http2_get(StreamId stream, std::uint8_t flags) {
  return http2_frame(Http2FrameType::kHeaders, flags, static_cast<std::uint32_t>(stream),
                     std::string("\x82\x86\x84\x41\x01x", 6));
}

std::string http2_reset(StreamId stream, Http2Error error) {
  return http2_frame(Http2FrameType::kRstStream, 0, static_cast<std::uint32_t>(stream),
                     number(static_cast<std::uint32_t>(error), 4));
}

std::string http2_window_update(StreamId stream, std::uint32_t bytes) {
  return http2_frame(Http2FrameType::kWindowUpdate, 0, static_cast<std::uint32_t>(stream), number(bytes, 4));
}

std::string http2_preface() {
  return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + http2_frame(Http2FrameType::kSettings, 0, 0, "");
}

}  // namespace optimux::http
