#include "http/http1_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "base/text.hpp"

namespace optimux::http {
namespace {

namespace beast = boost::beast;
using ErrorCode = base::ErrorCode;

/// Room for method, version and blanks around the target in a request line.
constexpr std::size_t kRequestLineOverhead = 64;

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Cuts `http://host/path` to `/path`; other forms stay.
std::string origin_form(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!base::equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::string_view rest = target.substr(scheme.size());
    const std::size_t path = rest.find_first_of("/?");
    if (path == std::string_view::npos) return "/";
    return rest[path] == '/' ? std::string(rest.substr(path)) : "/" + std::string(rest.substr(path));
  }
  return std::string(target);
}

/// Whether `rest`, what Beast left of a chunked body, begins with the whole line of a chunk that has bytes. Beast takes
/// such a line at once, unless a quoted string in it has no end: then it asks for more for ever, and counts the chunk's
/// size against the limit of the body each time.
bool begins_with_endless_chunk_line(std::string_view rest) {
  if (rest.starts_with("\r\n")) rest.remove_prefix(2);
  const std::string_view line = rest.substr(0, rest.find("\r\n"));
  const std::size_t size = line.find_first_not_of('0');
  constexpr std::string_view kHexDigits = "123456789abcdefABCDEF";
  return line.size() < rest.size() && size < line.size() && kHexDigits.find(line[size]) != std::string_view::npos;
}

}  // namespace

/// One request as Beast's parser reports it, with the checks that Beast leaves to its caller.
class Http1Reader::Message : public beast::http::basic_parser<true> {
 public:
  explicit Message(const RequestLimits& limits) : limits_(limits) {
    eager(true);
    header_limit(std::numeric_limits<std::uint32_t>::max());  // Http1Reader has checked the head's length.
    body_limit(limits.max_body_bytes);
  }

  Request& request() { return request_; }
  const std::optional<base::Error>& refusal() const { return refusal_; }
  bool has_body_to_come() const { return is_header_done() && !is_done(); }
  bool expects_continue() const {
    return request_.minor_version >= 1 && request_.headers.has_token("Expect", "100-continue");
  }

 private:
  using error_code = beast::error_code;
  using string_view = beast::string_view;

  static std::string_view view(string_view text) { return {text.data(), text.size()}; }

  void refuse(ErrorCode code, std::string detail, error_code& ec) {
    refusal_ = base::Error{code, std::move(detail), {}};
    ec = beast::http::error::bad_value;
  }

  void on_request_impl(beast::http::verb, string_view method, string_view target, int version,
                       error_code& ec) override {
    request_.method = view(method);
    request_.target = origin_form(view(target));
    request_.minor_version = version % 10;
    if (target.size() > limits_.max_uri_bytes) {
      refuse(ErrorCode::kUriTooLong, too_long("the URL", "max_uri_bytes", limits_.max_uri_bytes), ec);
    } else if (!is_supported_target(request_.method, request_.target)) {
      refuse(ErrorCode::kMalformedRequest, "the request target is neither a path nor an absolute http URL", ec);
    }
  }

  void on_response_impl(int, string_view, int, error_code&) override {}

  void on_field_impl(beast::http::field, string_view name, string_view value, error_code& ec) override {
    if (head_is_done_) return;  // Trailers mean nothing here.
    if (request_.headers.size() >= limits_.max_header_fields) {
      refuse(ErrorCode::kHeadersTooLarge,
             "the request has more fields than max_header_fields (" + std::to_string(limits_.max_header_fields) + ")",
             ec);
      return;
    }
    request_.headers.add(view(name), view(value));
  }

  void on_header_impl(error_code& ec) override {
    head_is_done_ = true;
    check_host(ec);
    if (!ec) check_framing(ec);
    const Headers& headers = request_.headers;
    request_.keep_alive = request_.minor_version >= 1 ? !headers.has_token("Connection", "close")
                                                      : headers.has_token("Connection", "keep-alive");
  }

  void check_host(error_code& ec) {
    const auto hosts = std::count_if(request_.headers.begin(), request_.headers.end(), [](const HeaderField& field) {
      return base::equals_ignoring_case(field.name, "Host");
    });
    if (hosts > 1 || (hosts == 0 && request_.minor_version >= 1)) {
      refuse(ErrorCode::kMalformedRequest, "Host: an HTTP/1.1 request has exactly one", ec);
    } else if (hosts == 1 && !is_host_value(*request_.headers.find("Host"))) {
      refuse(ErrorCode::kMalformedRequest, "Host: not a host", ec);
    }
  }

  /// RFC 9112, section 6.3 and 11.2: whoever disagrees about where a body ends can be made to smuggle requests.
  void check_framing(error_code& ec) {
    int lengths = 0;
    int codings = 0;
    bool understood = true;
    for (const HeaderField& field : request_.headers) {
      if (base::equals_ignoring_case(field.name, "Content-Length")) {
        ++lengths;
        understood = understood && is_digits(field.value);
      } else if (base::equals_ignoring_case(field.name, "Transfer-Encoding")) {
        ++codings;
        understood = understood && request_.minor_version >= 1 && base::equals_ignoring_case(field.value, "chunked");
      }
    }
    if (!understood || lengths + codings > 1) {
      refuse(ErrorCode::kMalformedRequest,
             "the length of the body is told by one Content-Length or by Transfer-Encoding: chunked", ec);
    }
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return take_body(body); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override { return take_body(body); }
  void on_finish_impl(error_code&) override {}

  std::size_t take_body(string_view body) {
    if (has_use_for_body(request_.method)) request_.body.append(body.data(), body.size());
    return body.size();
  }

  const RequestLimits& limits_;
  Request request_;
  bool head_is_done_ = false;
  std::optional<base::Error> refusal_;
};

Http1Reader::Http1Reader(const RequestLimits& limits) : limits_(limits) {}
Http1Reader::~Http1Reader() = default;

void Http1Reader::feed(std::string_view bytes) {
  if (failure_ || bytes.empty()) return;
  buffer_ += bytes;
  while (!failure_ && !buffer_.empty()) {
    const std::size_t requests_before = ready_.size();
    if (in_body_) {
      parse_body();
    } else {
      parse_head();
    }
    if (ready_.size() == requests_before) break;
  }
}

std::optional<Request> Http1Reader::take() {
  if (ready_.empty()) return std::nullopt;
  Request request = std::move(ready_.front());
  ready_.pop_front();
  ready_bytes_ -= size_of(request);
  return request;
}

const Request* Http1Reader::sole_request() const {
  const bool is_alone = ready_.size() == 1 && !is_mid_request() && !failure_;
  return is_alone ? &ready_.front() : nullptr;
}

std::size_t Http1Reader::held_bytes() const {
  const std::size_t coming = buffer_.size() + (in_body_ ? size_of(message_->request()) : 0);
  return ready_bytes_ + coming;
}

bool Http1Reader::is_mid_request() const {
  return !failure_ && (in_body_ || !buffer_.empty());
}

bool Http1Reader::take_continue() {
  if (failure_ || !ready_.empty()) return false;
  return std::exchange(wants_continue_, false);
}

void Http1Reader::parse_head() {
  if (!skip_empty_line() || !scan_head()) return;
  message_ = std::make_unique<Message>(limits_);
  beast::error_code ec;
  // The head ends where the scan stopped; the body is parsed in a second step, so that its first bytes are not mixed
  // in.
  const std::size_t used = message_->put(boost::asio::const_buffer(buffer_.data(), scanned_), ec);
  if (ec && ec != beast::http::error::need_more) {
    if (message_->refusal()) {
      fail(message_->refusal()->code, message_->refusal()->detail);
    } else if (ec == beast::http::error::body_limit) {
      fail(ErrorCode::kBodyTooLarge, too_long("the request body", "max_body_bytes", limits_.max_body_bytes));
    } else {
      fail(ErrorCode::kMalformedRequest, "the request is not valid HTTP/1.1: " + ec.message());
    }
    return;
  }
  finish_head(used);
}

/// RFC 9112, section 2.2: one empty line before a request is the debris of old clients, more is not tolerated.
bool Http1Reader::skip_empty_line() {
  while (scanned_ == 0 && buffer_.starts_with('\r')) {
    if (buffer_.size() < 2) return false;
    if (skipped_empty_line_ || !buffer_.starts_with("\r\n")) {
      fail(ErrorCode::kMalformedRequest, "the request does not begin with a request line");
      return false;
    }
    skipped_empty_line_ = true;
    buffer_.erase(0, 2);
  }
  return !buffer_.empty();
}

/// Looks at the bytes that have come since the last call. True when the head is whole; `scanned_` is its length then.
bool Http1Reader::scan_head() {
  for (; scanned_ < buffer_.size(); ++scanned_) {
    const std::size_t i = scanned_;
    const char c = buffer_[i];
    const char before = i > 0 ? buffer_[i - 1] : '\0';
    if (c == '\0' || (c == '\n') != (before == '\r') || (before == '\n' && (c == ' ' || c == '\t'))) {
      fail(ErrorCode::kMalformedRequest, "the request head has a bare line end, a folded line or a NUL");
      return false;
    }
    if (c == '\n' && first_line_ == 0) first_line_ = i + 1;
    if (first_line_ == 0 && i >= limits_.max_uri_bytes + kRequestLineOverhead) {
      fail(ErrorCode::kUriTooLong, too_long("the URL", "max_uri_bytes", limits_.max_uri_bytes));
      return false;
    }
    if (i >= limits_.max_header_bytes) {
      fail(ErrorCode::kHeadersTooLarge, too_long("the request head", "max_header_bytes", limits_.max_header_bytes));
      return false;
    }
    if (c == '\n' && i >= 3 && buffer_[i - 2] == '\n') {
      ++scanned_;
      return true;
    }
  }
  return false;
}

void Http1Reader::finish_head(std::size_t head_bytes) {
  buffer_.erase(0, head_bytes);
  scanned_ = 0;
  first_line_ = 0;
  skipped_empty_line_ = false;
  if (message_->is_done()) {
    finish_request();
    return;
  }
  in_body_ = true;
  wants_continue_ = message_->expects_continue() && buffer_.empty();
  if (!buffer_.empty()) parse_body();
}

void Http1Reader::parse_body() {
  wants_continue_ = false;  // The body is coming without being asked for.
  // Beast asserts on four bytes when it resumes inside a last chunk that follows no other; the fifth is sure to come.
  if (message_->chunked() && buffer_.size() == 4 && buffer_.starts_with("0\r\n")) return;
  beast::error_code ec;
  const std::size_t used = message_->put(boost::asio::const_buffer(buffer_.data(), buffer_.size()), ec);
  buffer_.erase(0, used);
  if (ec == beast::http::error::body_limit) {
    fail(ErrorCode::kBodyTooLarge, too_long("the request body", "max_body_bytes", limits_.max_body_bytes));
  } else if (ec && ec != beast::http::error::need_more) {
    fail(ErrorCode::kMalformedRequest, "the request body is not valid: " + ec.message());
  } else if (message_->is_done()) {
    in_body_ = false;
    finish_request();
  } else if (message_->chunked() && begins_with_endless_chunk_line(buffer_)) {
    fail(ErrorCode::kMalformedRequest, "the request body is not valid: a chunk extension without an end");
  } else if (buffer_.size() > limits_.max_header_bytes) {
    // Chunk extensions and trailers are the only bytes that stay here unparsed.
    fail(ErrorCode::kHeadersTooLarge,
         too_long("what surrounds the chunks of the request body", "max_header_bytes", limits_.max_header_bytes));
  }
}

void Http1Reader::finish_request() {
  ready_bytes_ += size_of(message_->request());
  ready_.push_back(std::move(message_->request()));
  message_.reset();
}

void Http1Reader::fail(ErrorCode code, std::string detail) {
  refuse(base::Error{code, std::move(detail), {}});
}

void Http1Reader::refuse(base::Error reason) {
  if (failure_) return;
  failure_ = std::move(reason);
  buffer_.clear();
  message_.reset();
  in_body_ = false;
  wants_continue_ = false;
}

}  // namespace optimux::http
