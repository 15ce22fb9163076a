#include "source/bridge_request.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/hmac.hpp"
#include "base/text.hpp"
#include "source/range_bridge.hpp"

namespace optimux::source {
namespace {

using tl::make_unexpected;

struct Fields {
  std::optional<std::string_view> authorization;
  std::optional<std::string_view> range;
  bool closes = false;
  bool has_body = false;
};

// Controls other than the tab have no place in a head (RFC 9110, section 5.5).
bool is_clean(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return (c >= ' ' && c != '\x7f') || c == '\t'; });
}

// One that matters and comes twice could mean either.
bool set_once(std::optional<std::string_view>& field, std::string_view value) {
  if (field) return false;
  field = value;
  return true;
}

bool add_field(Fields& fields, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon);
  if (name.find_first_of(" \t") != std::string_view::npos) return false;
  const std::string_view value = base::trim(line.substr(colon + 1));
  if (base::equals_ignoring_case(name, "proxy-authorization")) return set_once(fields.authorization, value);
  if (base::equals_ignoring_case(name, "range")) return set_once(fields.range, value);
  if (base::equals_ignoring_case(name, "connection")) fields.closes |= base::equals_ignoring_case(value, "close");
  if (base::equals_ignoring_case(name, "content-length")) fields.has_body |= value != "0";
  if (base::equals_ignoring_case(name, "transfer-encoding")) fields.has_body = true;
  return true;
}

/// The lines without their ends; nothing if one does not end in CR LF, or holds what no line may.
std::optional<std::vector<std::string_view>> lines_of(std::string_view head) {
  std::vector<std::string_view> lines;
  for (std::string_view line : base::split(head, '\n')) {
    if (line.empty()) continue;  // Behind the last end.
    if (line.back() != '\r') return std::nullopt;
    line.remove_suffix(1);
    if (!is_clean(line)) return std::nullopt;
    if (!line.empty()) lines.push_back(line);
  }
  if (lines.empty()) return std::nullopt;
  return lines;
}

/// The one URL, as ffmpeg writes it (with its port) and as others may.
bool is_served(std::string_view target) {
  return target == RangeBridge::url() || target == "http://input:80/media";
}

/// Of `bytes=…`: what it comes to in a file of `size` bytes, or the status to refuse with.
tl::expected<ByteRange, int> read_range(std::string_view value, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (value.substr(0, kUnit.size()) != kUnit) return make_unexpected(400);
  const std::string_view spec = value.substr(kUnit.size());
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return make_unexpected(400);
  const auto left = base::parse_number<std::uint64_t>(spec.substr(0, dash));
  const auto right = base::parse_number<std::uint64_t>(spec.substr(dash + 1));
  const bool is_open = dash + 1 == spec.size();
  if (dash == 0) {  // The last bytes.
    if (!right) return make_unexpected(400);
    if (*right == 0 || size == 0) return make_unexpected(416);
    const std::uint64_t count = std::min(*right, size);
    return ByteRange{size - count, count};
  }
  if (!left || (!right && !is_open) || (right && *right < *left)) return make_unexpected(400);
  if (*left >= size) return make_unexpected(416);
  const std::uint64_t last = right ? std::min(*right, size - 1) : size - 1;
  return ByteRange{*left, last - *left + 1};
}

std::string_view reason_of(int status) {
  switch (status) {
    case 403: return "Forbidden";
    case 405: return "Method Not Allowed";
    case 407: return "Proxy Authentication Required";
    case 416: return "Range Not Satisfiable";
    case 431: return "Request Header Fields Too Large";
    default: return "Bad Request";
  }
}

}  // namespace

tl::expected<BridgeRequest, int> read_bridge_request(std::string_view head, std::string_view authorization,
                                                     std::uint64_t size) {
  const auto lines = lines_of(head);
  if (!lines) return make_unexpected(400);
  const auto words = base::split(lines->front(), ' ');
  if (words.size() != 3 || (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0")) return make_unexpected(400);
  Fields fields;
  const bool are_fields =
      std::all_of(lines->begin() + 1, lines->end(), [&](std::string_view line) { return add_field(fields, line); });
  if (!are_fields) return make_unexpected(400);
  if (!base::equal_in_constant_time(fields.authorization.value_or(""), authorization)) return make_unexpected(407);
  if (words[0] != "GET" && words[0] != "HEAD") return make_unexpected(405);
  if (!is_served(words[1])) return make_unexpected(403);
  if (fields.has_body) return make_unexpected(400);

  BridgeRequest request{.is_head = words[0] == "HEAD", .range = {0, size}};
  request.is_persistent = words[2] == "HTTP/1.1" && !fields.closes;
  if (!fields.range) return request;
  const auto range = read_range(*fields.range, size);
  if (!range) return make_unexpected(range.error());
  request.is_part = true;
  request.range = *range;
  return request;
}

std::string bridge_answer_head(const BridgeRequest& request, std::uint64_t size) {
  std::string head = request.is_part ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n";
  head += "Content-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\n";
  if (request.is_part) {
    head += "Content-Range: bytes " + std::to_string(request.range.first) + "-" +
            std::to_string(request.range.first + request.range.count - 1) + "/" + std::to_string(size) + "\r\n";
  }
  // No `Connection: close`, also where it is going to be closed: ffmpeg would then take a cut answer for a whole one.
  return head + "Content-Length: " + std::to_string(request.range.count) + "\r\n\r\n";
}

std::string bridge_refusal(int status, std::uint64_t size) {
  std::string answer = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_of(status)) + "\r\n";
  if (status == 407) answer += "Proxy-Authenticate: Basic realm=\"input\"\r\n";
  if (status == 405) answer += "Allow: GET, HEAD\r\n";
  if (status == 416) answer += "Content-Range: bytes */" + std::to_string(size) + "\r\n";
  return answer + "Content-Length: 0\r\nConnection: close\r\n\r\n";
}

}  // namespace optimux::source
