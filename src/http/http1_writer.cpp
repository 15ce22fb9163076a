#include "http/http1_writer.hpp"

#include <array>
#include <charconv>

#include "base/text.hpp"

namespace optimux::http {
namespace {

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value)) return;
  out.append(name).append(": ").append(value).append("\r\n");
}

std::string status_line(int status) {
  std::string line;
  line.reserve(512);  // The fields follow.
  return line.append("HTTP/1.1 ")
      .append(std::to_string(status))
      .append(" ")
      .append(reason_phrase(status))
      .append("\r\n");
}

std::string chunk_header(std::size_t size) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16);
  return std::string(digits.data(), end.ptr).append("\r\n");
}

}  // namespace

Framing choose_framing(const Request& request, const ResponseHead& head) {
  if (!status_has_body(head.status)) return Framing::kNone;
  if (head.content_length) return request.method == "HEAD" ? Framing::kNone : Framing::kLength;
  if (request.method == "HEAD") return Framing::kNone;
  return request.minor_version >= 1 ? Framing::kChunked : Framing::kUntilClose;
}

std::string write_head(const ResponseHead& head, const Http1HeadOptions& options) {
  std::string out = status_line(head.status);
  if (!options.date.empty()) append_field(out, "Date", options.date);
  for (const HeaderField& field : head.headers) append_field(out, field.name, field.value);
  if (head.content_length && status_has_body(head.status)) {
    append_field(out, "Content-Length", std::to_string(*head.content_length));
  } else if (options.framing == Framing::kChunked) {
    append_field(out, "Transfer-Encoding", "chunked");
  }
  if (!options.keep_alive) {
    append_field(out, "Connection", "close");
  } else if (options.minor_version == 0) {
    append_field(out, "Connection", "keep-alive");
  }
  return out.append("\r\n");
}

std::string write_informational(int status, const Headers& fields) {
  std::string out = status_line(status);
  for (const HeaderField& field : fields) append_field(out, field.name, field.value);
  return out.append("\r\n");
}

BodyFrame frame_body(Framing framing, std::size_t size, bool is_last) {
  BodyFrame frame;
  if (framing != Framing::kChunked) return frame;
  if (size > 0) {
    frame.before = chunk_header(size);
    frame.after = "\r\n";
  }
  if (is_last) frame.after += "0\r\n\r\n";
  return frame;
}

}  // namespace optimux::http
