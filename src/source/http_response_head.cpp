#include "source/http_response_head.hpp"

#include <algorithm>

#include <curl/curl.h>

#include "base/text.hpp"

namespace optimux::source {
namespace {

std::string_view without_line_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  return line;
}

bool has_control_characters(std::string_view value) {
  return std::any_of(value.begin(), value.end(),
                     [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; });
}

std::optional<std::chrono::system_clock::time_point> parse_date(std::string_view value) {
  const time_t seconds = curl_getdate(std::string(value).c_str(), nullptr);
  if (seconds < 0) return std::nullopt;
  return std::chrono::system_clock::from_time_t(seconds);
}

// Several fields of one name are one list (RFC 9110, section 5.3).
void add_to_list(std::string& list, std::string_view value) {
  if (value.empty()) return;
  if (!list.empty()) list += ", ";
  list += value;
}

bool is_kept(std::string_view name) {
  return name == "content-type" || name == "content-range" || name == "date" || name.substr(0, 6) == "x-amz-";
}

}  // namespace

bool HttpResponseHead::add_line(std::string_view line) {
  if (complete_) return true;
  bytes_ += line.size();
  if (bytes_ > max_bytes_) return false;
  line = without_line_end(line);
  if (line.substr(0, 5) == "HTTP/") {
    start(line);
    return true;
  }
  if (line.empty()) {
    finish();
    return true;
  }
  const std::size_t colon = line.find(':');
  // Continuation lines are obsolete (RFC 9112, section 5.2); none of the fields here has ever needed one.
  if (colon == std::string_view::npos || line[0] == ' ' || line[0] == '\t') return true;
  return add_field(base::to_lower(line.substr(0, colon)), base::trim(line.substr(colon + 1)));
}

bool HttpResponseHead::is_redirect() const {
  return status_ == 301 || status_ == 302 || status_ == 303 || status_ == 307 || status_ == 308;
}

std::string_view HttpResponseHead::field(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? std::string_view() : std::string_view(found->second);
}

void HttpResponseHead::start(std::string_view status_line) {
  const std::size_t bytes = bytes_;
  *this = HttpResponseHead(max_bytes_);
  bytes_ = bytes;
  framed_by_protocol_ = status_line.substr(0, 6) != "HTTP/1";
  const auto words = base::split(status_line, ' ');
  if (words.size() > 1) status_ = base::parse_number<int>(words[1]).value_or(0);
}

void HttpResponseHead::finish() {
  const bool interim = status_ >= 100 && status_ < 200;
  complete_ = !interim;
  facts_.cache_control = freshness_.cache_control;
  facts_.freshness = read_freshness(freshness_, std::chrono::system_clock::now());
}

bool HttpResponseHead::add_field(std::string_view name, std::string_view value) {
  if (has_control_characters(value)) return true;
  if (name == "content-length") return add_content_length(value);
  if (name == "location" && location_.empty()) location_ = value;
  if (name == "content-encoding" && !value.empty() && !base::equals_ignoring_case(value, "identity")) encoded_ = true;
  if (name == "transfer-encoding") chunked_ = true;
  if (is_kept(name)) fields_.emplace(name, value);
  add_fact(name, value);
  return true;
}

// Two lengths that differ are a way to have two readers see two bodies (RFC 9112, section 6.3).
bool HttpResponseHead::add_content_length(std::string_view value) {
  const auto length = base::parse_number<std::uint64_t>(value);
  if (!length || (content_length_ && *content_length_ != *length)) return false;
  content_length_ = length;
  return true;
}

void HttpResponseHead::add_fact(std::string_view name, std::string_view value) {
  if (name == "last-modified") facts_.last_modified = parse_date(value);
  if (name == "etag") facts_.etag = value;
  if (name == "cache-control") add_to_list(freshness_.cache_control, value);
  if (name == "vary") add_to_list(freshness_.vary, value);
  if (name == "expires") freshness_.expires = value;
  if (name == "date") freshness_.date = value;
  if (name == "age") freshness_.age = value;
}

}  // namespace optimux::source
