#include "http/nghttp2_adapter.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace optimux::http {
namespace {

using StreamId = std::int32_t;

/// RFC 9218, section 2.1: no trees of dependencies, which cost as much as they are deep.
constexpr auto kNoRfc7540Priorities = static_cast<std::int32_t>(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES);
/// Memory for compressing the heads of answers, whatever the client offers.
constexpr std::size_t kDeflateTableBytes = 4'096;
/// The largest head of an answer: that of a list of pictures to preload, as large as a body may be. The library's own
/// limit is 64 KiB.
constexpr std::size_t kMostHeadBytes = std::size_t{8} << 20;
/// What a field costs beside its characters (RFC 9113, section 10.5.1).
constexpr std::size_t kFieldOverhead = 32;

void check(int status) {
  if (status == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
}

struct OptionDeleter {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};
struct CallbacksDeleter {
  void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
};

std::unique_ptr<nghttp2_option, OptionDeleter> make_options(const Nghttp2Adapter::Limits& limits) {
  nghttp2_option* raw = nullptr;
  check(nghttp2_option_new(&raw));
  std::unique_ptr<nghttp2_option, OptionDeleter> options(raw);
  nghttp2_option_set_max_outbound_ack(raw, limits.max_queued_acks);
  nghttp2_option_set_max_settings(raw, limits.max_settings_entries);
  nghttp2_option_set_max_deflate_dynamic_table_size(raw, kDeflateTableBytes);
  nghttp2_option_set_max_send_header_block_length(raw, kMostHeadBytes);
#ifdef OPTIMUX_NGHTTP2_HAS_MAX_CONTINUATIONS
  nghttp2_option_set_max_continuations(raw, limits.max_continuations);
#endif
#ifdef OPTIMUX_NGHTTP2_HAS_RESET_RATE_LIMIT
  // The flood guard counts resets, by limits that can be set and with a name in log and metrics.
  nghttp2_option_set_stream_reset_rate_limit(raw, UINT64_MAX / 2, 1);
#endif
  return options;
}

/// RFC 9113, section 8.2: field names are in lower case.
std::string lower(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

Headers fields_of(const ResponseHead& head) {
  Headers fields = {{":status", std::to_string(head.status)}};
  for (const HeaderField& field : head.headers) {
    if (is_token(field.name) && is_field_value(field.value)) fields.add(lower(field.name), field.value);
  }
  if (head.content_length && status_has_body(head.status)) {
    fields.add("content-length", std::to_string(*head.content_length));
  }
  return fields;
}

nghttp2_nv pair_of(const HeaderField& field) {
  // The library's structure has no const; it does not change the bytes.
  auto* const name = const_cast<char*>(field.name.data());    // NOLINT
  auto* const value = const_cast<char*>(field.value.data());  // NOLINT
  return {reinterpret_cast<std::uint8_t*>(name), reinterpret_cast<std::uint8_t*>(value), field.name.size(),
          field.value.size(), NGHTTP2_NV_FLAG_NONE};
}

/// Point into `fields`.
std::vector<nghttp2_nv> pairs_of(const Headers& fields) {
  std::vector<nghttp2_nv> pairs;
  pairs.reserve(fields.size());
  for (const HeaderField& field : fields) pairs.push_back(pair_of(field));
  return pairs;
}

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

Nghttp2Adapter::Bytes bytes_of(const std::uint8_t* bytes, std::size_t size) {
  return std::as_bytes(std::span(bytes, size));
}

}  // namespace

/// The library's callbacks; `user` is the adapter's `Events`.
struct Nghttp2Adapter::Callbacks {
  static Events& events(void* user) { return *static_cast<Events*>(user); }

  static bool is_request(const nghttp2_frame* frame) {
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
  }

  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    events(user).on_head_begin();
    if (is_request(frame)) events(user).on_request_begin(frame->hd.stream_id);
    return 0;
  }

  /// Trailers mean nothing here.
  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                    const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
    if (!events(user).on_field_bytes(name_size + value_size + kFieldOverhead)) return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (is_request(frame)) {
      events(user).on_field(frame->hd.stream_id, text_of(name, name_size), text_of(value, value_size));
    }
    return 0;
  }

  static int invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int error, void* user) {
    if (error == NGHTTP2_ERR_REFUSED_STREAM) events(user).on_refused(frame->hd.stream_id);
    return 0;
  }

  /// Of all that the library may fail to send, a head alone leaves somebody waiting; not where its stream is gone.
  static int frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int error, void* user) {
    const bool has_stream = error == NGHTTP2_ERR_FRAME_SIZE_ERROR || error == NGHTTP2_ERR_HEADER_COMP;
    if (frame->hd.type == NGHTTP2_HEADERS && has_stream) events(user).on_head_not_sent(frame->hd.stream_id);
    return 0;
  }

  static int frame_received(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Events& to = events(user);
    const StreamId stream = frame->hd.stream_id;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        if (is_request(frame)) to.on_head_end(stream);
        [[fallthrough]];
      case NGHTTP2_DATA:
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
          to.on_request_end(stream);
        } else if (frame->hd.type == NGHTTP2_DATA && frame->hd.length > 0 && frame->hd.length == frame->data.padlen) {
          to.on_padding();
        }
        break;
      case NGHTTP2_WINDOW_UPDATE: to.on_window_update(stream); break;
      case NGHTTP2_SETTINGS: to.on_settings((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0); break;
      default: break;
    }
    return 0;
  }

  static int data_chunk(nghttp2_session*, std::uint8_t, StreamId stream, const std::uint8_t* data, std::size_t size,
                        void* user) {
    events(user).on_body(stream, bytes_of(data, size));
    return 0;
  }

  static int stream_closed(nghttp2_session*, StreamId stream, std::uint32_t, void* user) {
    events(user).on_stream_close(stream);
    return 0;
  }

  static int frame_sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      events(user).on_reset_sent(frame->hd.stream_id, static_cast<Http2Error>(frame->rst_stream.error_code));
    } else if (frame->hd.type == NGHTTP2_GOAWAY) {
      events(user).on_goaway_sent(static_cast<Http2Error>(frame->goaway.error_code));
    }
    return 0;
  }

  static ssize_t read_data(nghttp2_session*, StreamId stream, std::uint8_t*, std::size_t most, std::uint32_t* flags,
                           nghttp2_data_source*, void* user) {
    const auto turn = events(user).on_data_turn(stream, most);
    if (!turn) return NGHTTP2_ERR_DEFERRED;
    if (turn->is_last) *flags |= NGHTTP2_DATA_FLAG_EOF;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    return static_cast<ssize_t>(turn->bytes);
  }

  static int send_data(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head, std::size_t size,
                       nghttp2_data_source*, void* user) {
    constexpr std::size_t kHeadBytes = 9;
    events(user).on_data_frame(frame->hd.stream_id, bytes_of(head, kHeadBytes), size);
    return 0;
  }

  static std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter> make() {
    nghttp2_session_callbacks* raw = nullptr;
    check(nghttp2_session_callbacks_new(&raw));
    std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter> callbacks(raw);
    nghttp2_session_callbacks_set_on_begin_headers_callback(raw, begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(raw, header);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(raw, invalid_frame);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(raw, frame_not_sent);
    nghttp2_session_callbacks_set_on_frame_recv_callback(raw, frame_received);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(raw, data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(raw, stream_closed);
    nghttp2_session_callbacks_set_on_frame_send_callback(raw, frame_sent);
    nghttp2_session_callbacks_set_send_data_callback(raw, send_data);
    return callbacks;
  }
};

void Nghttp2Adapter::Deleter::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Nghttp2Adapter::Nghttp2Adapter(const Limits& limits, Events& events) {
  const auto options = make_options(limits);
  const auto callbacks = Callbacks::make();
  nghttp2_session* raw = nullptr;
  check(nghttp2_session_server_new2(&raw, callbacks.get(), &events, options.get()));
  session_.reset(raw);
  const std::array<nghttp2_settings_entry, 3> entries = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.max_streams},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.max_header_list},
      {kNoRfc7540Priorities, 1},
  }};
  check(nghttp2_submit_settings(raw, NGHTTP2_FLAG_NONE, entries.data(), entries.size()));
}

Nghttp2Adapter::~Nghttp2Adapter() = default;

bool Nghttp2Adapter::upgrade(std::string_view settings_payload, bool is_head_request) {
  const auto* const payload = reinterpret_cast<const std::uint8_t*>(settings_payload.data());
  const int status =
      nghttp2_session_upgrade2(session_.get(), payload, settings_payload.size(), is_head_request ? 1 : 0, nullptr);
  check(status);
  return status == 0;
}

std::optional<std::string> Nghttp2Adapter::receive(Bytes bytes) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t taken = nghttp2_session_mem_recv(session_.get(), data, bytes.size());
  if (taken >= 0) return std::nullopt;
  check(static_cast<int>(taken));
  return nghttp2_strerror(static_cast<int>(taken));
}

Nghttp2Adapter::Bytes Nghttp2Adapter::send() {
  const std::uint8_t* data = nullptr;
  const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
  if (size <= 0) {
    check(static_cast<int>(size));
    return {};
  }
  return bytes_of(data, static_cast<std::size_t>(size));
}

bool Nghttp2Adapter::respond(StreamId stream, const ResponseHead& head, bool has_body) {
  const Headers fields = fields_of(head);
  const std::vector<nghttp2_nv> pairs = pairs_of(fields);
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::read_data;
  const int status =
      nghttp2_submit_response(session_.get(), stream, pairs.data(), pairs.size(), has_body ? &provider : nullptr);
  check(status);
  return status == 0;
}

bool Nghttp2Adapter::inform(StreamId stream, int status, const Headers& headers) {
  const Headers fields = fields_of({status, headers, std::nullopt});
  const std::vector<nghttp2_nv> pairs = pairs_of(fields);
  const int outcome =
      nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream, nullptr, pairs.data(), pairs.size(), nullptr);
  check(outcome);
  return outcome == 0;
}

void Nghttp2Adapter::resume(StreamId stream) {
  // It says so when the stream is gone or waits for its turn already; both are as good.
  check(nghttp2_session_resume_data(session_.get(), stream));
}

void Nghttp2Adapter::reset(StreamId stream, Http2Error error) {
  check(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, static_cast<std::uint32_t>(error)));
}

void Nghttp2Adapter::announce_end() {
  check(nghttp2_submit_shutdown_notice(session_.get()));
}

void Nghttp2Adapter::end() {
  check(nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, last_stream(), NGHTTP2_NO_ERROR, nullptr, 0));
}

void Nghttp2Adapter::terminate(Http2Error error) {
  check(nghttp2_session_terminate_session(session_.get(), static_cast<std::uint32_t>(error)));
}

std::int32_t Nghttp2Adapter::window_of(StreamId stream) const {
  return nghttp2_session_get_stream_remote_window_size(session_.get(), stream);
}

std::int32_t Nghttp2Adapter::window() const {
  return nghttp2_session_get_remote_window_size(session_.get());
}

bool Nghttp2Adapter::is_over() const {
  return nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0;
}

StreamId Nghttp2Adapter::last_stream() const {
  return nghttp2_session_get_last_proc_stream_id(session_.get());
}

}  // namespace optimux::http
