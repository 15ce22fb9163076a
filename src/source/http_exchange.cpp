#include "source/http_exchange.hpp"

#include <algorithm>
#include <utility>

#include "source/source_error.hpp"

namespace optimux::source {
namespace {

// The body of an answer that is no source is read so that its connection can be used again, and because it may explain
// itself; over this a new connection is cheaper.
constexpr std::uint64_t kMaxExplanationBytes = 64 << 10;
// Larger than libcurl's 16 KiB: a picture of megabytes takes a quarter of the calls.
constexpr long kReceiveBufferBytes = 64 << 10;

}  // namespace

HttpExchange::HttpExchange(const HttpContext& context, HttpRequest request, std::chrono::milliseconds time_left,
                           Done done)
    : context_(context),
      request_(std::move(request)),
      time_left_(time_left),
      done_(std::move(done)),
      easy_(curl_easy_init()),
      low_speed_(static_cast<std::uint64_t>(context.settings.low_speed_bytes_per_second),
                 context.settings.low_speed_time),
      first_bytes_(request_.is_other),
      head_(context.settings.max_header_bytes),
      lease_(context.bodies) {}

HttpExchange::~HttpExchange() {
  stop_timers();
  context_.multi.remove(easy_.get());
}

base::Status HttpExchange::start() {
  if (!easy_ || !set_options()) return base::fail(source_fault(cause("libcurl refuses an option")));
  if (base::Status added = context_.multi.add(easy_.get(), [this](CURLcode code) { on_end(code); }); !added) {
    return added;
  }
  timer_ = context_.reactor.start_timer(time_left_, [this] { on_timeout(); });
  return {};
}

bool HttpExchange::set_options() {
  return set_request() && set(CURLOPT_USERAGENT, "optimux/" OPTIMUX_VERSION) &&
         set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_2TLS}) &&
         // Asks for no encoding, and undoes one that comes all the same.
         set(CURLOPT_ACCEPT_ENCODING, "identity") && set(CURLOPT_BUFFERSIZE, kReceiveBufferBytes) &&
         (context_.settings.ca_file.empty() || set(CURLOPT_CAINFO, context_.settings.ca_file.c_str())) &&
         set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(context_.settings.connect_timeout.count())) &&
         set_isolation() && set_callbacks();
}

bool HttpExchange::set_request() {
  // What an URL of `parse_http_url` no longer has, keys of an object store may have: dot segments stay.
  bool ok = set(CURLOPT_URL, request_.url.text.c_str()) && set(CURLOPT_PATH_AS_IS, 1L) &&
            set(CURLOPT_HTTPHEADER, request_.headers);
  if (request_.connects_anew) ok = ok && set(CURLOPT_FRESH_CONNECT, 1L) && set(CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  switch (request_.method) {
    case HttpRequest::Method::kGet: return ok;
    case HttpRequest::Method::kHead: return ok && set(CURLOPT_NOBODY, 1L);
    case HttpRequest::Method::kDelete: return ok && set(CURLOPT_CUSTOMREQUEST, "DELETE");
    case HttpRequest::Method::kPut: break;
  }
  // As a POST by another name libcurl reads the body from memory, also once more where it has to send it again.
  const bool is_empty = !request_.body || request_.body->empty();
  const auto size = static_cast<curl_off_t>(is_empty ? 0 : request_.body->size());
  const void* const bytes = is_empty ? static_cast<const void*>("") : request_.body->data();
  return ok && set(CURLOPT_POSTFIELDSIZE_LARGE, size) && set(CURLOPT_POSTFIELDS, bytes) &&
         set(CURLOPT_CUSTOMREQUEST, "PUT");
}

// What libcurl does not do of its own accord: take a proxy from the environment (the address check would see the proxy
// alone), speak other protocols, use signals, or wait for a resolver thread when a transfer ends early.
bool HttpExchange::set_isolation() {
  return set(CURLOPT_PROXY, "") && set(CURLOPT_PROTOCOLS_STR, "http,https") && set(CURLOPT_FOLLOWLOCATION, 0L) &&
         set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) && set(CURLOPT_NETRC, long{CURL_NETRC_IGNORED}) &&
         set(CURLOPT_NOSIGNAL, 1L) && set(CURLOPT_QUICK_EXIT, 1L);
}

bool HttpExchange::set_callbacks() {
  return set(CURLOPT_HEADERFUNCTION, &HttpExchange::on_header) && set(CURLOPT_HEADERDATA, this) &&
         set(CURLOPT_WRITEFUNCTION, &HttpExchange::on_body) && set(CURLOPT_WRITEDATA, this) &&
         set(CURLOPT_OPENSOCKETFUNCTION, &HttpExchange::on_open) && set(CURLOPT_OPENSOCKETDATA, this) &&
         set(CURLOPT_PREREQFUNCTION, &HttpExchange::on_connected) && set(CURLOPT_PREREQDATA, this) &&
         set(CURLOPT_ERRORBUFFER, error_text_.data()) && context_.multi.adopt_sockets(easy_.get());
}

std::size_t HttpExchange::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  const std::string_view line(bytes, size * count);
  return static_cast<HttpExchange*>(self)->take_header(line) ? line.size() : 0;
}

std::size_t HttpExchange::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  const auto* const begin = reinterpret_cast<const std::byte*>(bytes);
  return static_cast<HttpExchange*>(self)->take_body(begin, size * count) ? size * count : 0;
}

// Called for each address that a name resolves to, with the address that is really about to be connected to.
curl_socket_t HttpExchange::on_open(void* self, curlsocktype, curl_sockaddr* address) {
  auto& exchange = *static_cast<HttpExchange*>(self);
  if (!exchange.may_connect(IpAddress::from_socket_address(address->addr))) {
    exchange.context_.multi.nudge(exchange.easy_.get());
    return CURL_SOCKET_BAD;
  }
  return exchange.context_.multi.open_socket(exchange.easy_.get(), *address);
}

// Called before each request, on connections that are used again too.
int HttpExchange::on_connected(void* self, char* remote_address, char*, int, int) {
  const bool allowed = static_cast<HttpExchange*>(self)->may_connect(IpAddress::parse(remote_address));
  return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

bool HttpExchange::may_connect(const std::optional<IpAddress>& address) {
  auto reason = address ? context_.settings.policy.refusal(*address, request_.url.host) : "not an IP address";
  if (reason) refusal_ = std::move(*reason);
  return !reason;
}

bool HttpExchange::take_header(std::string_view line) {
  const bool was_complete = head_.is_complete();
  head_refused_ = !head_.add_line(line);
  if (head_refused_) return false;
  return was_complete || !head_.is_complete() || wants_body();
}

bool HttpExchange::has_source() const {
  if (request_.method != HttpRequest::Method::kGet) return false;
  return (request_.takes_whole && head_.has_source()) || (request_.takes_parts && head_.is_part());
}

std::uint64_t HttpExchange::max_body_bytes() const {
  const bool is_limited_part = head_.is_part() && request_.max_part_bytes != 0;
  return is_limited_part ? request_.max_part_bytes : context_.settings.max_source_bytes;
}

bool HttpExchange::wants_body() {
  if (head_.is_not_modified()) return true;  // It has none; its length may be the source's (RFC 9110, section 8.6).
  if (request_.method == HttpRequest::Method::kHead) return true;
  if (!has_source()) return head_.content_length().value_or(kMaxExplanationBytes + 1) <= kMaxExplanationBytes;
  body_too_large_ = head_.content_length().value_or(0) > max_body_bytes();
  return !body_too_large_ || first_bytes_.is_open();
}

// Counted here, behind libcurl's decoders: what matters is the memory that the bytes take.
bool HttpExchange::take_body(const std::byte* bytes, std::size_t count) {
  watch_speed(count);
  if (!has_source()) {
    if (request_.keeps_explanations && body_.size() + count <= kMaxExplanationBytes) body_.append({bytes, count});
    return true;
  }
  is_other_ = first_bytes_.take({bytes, count});
  if (is_other_) return false;
  if (count > max_body_bytes() - body_.size()) body_too_large_ = true;
  if (body_too_large_ && !first_bytes_.is_open()) return false;
  is_over_budget_ = !make_room(body_.size() + count);
  if (is_over_budget_) return false;
  body_.append({bytes, count});
  return true;
}

// libcurl's own check (CURLOPT_LOW_SPEED_TIME) counts from the start of the transfer: an origin that thinks before it
// answers would be taken for a slow one.
void HttpExchange::watch_speed(std::size_t count) {
  low_speed_.arrived(count, LowSpeedWatch::Clock::now());
  if (low_speed_timer_ == 0 && low_speed_.end()) {
    low_speed_timer_ = context_.reactor.start_timer(context_.settings.low_speed_time, [this] { on_low_speed_timer(); });
  }
}

// Ahead of what has come by half of it, so that copying stays linear, and not by what the origin merely announces.
bool HttpExchange::make_room(std::size_t needed) {
  constexpr std::size_t kMinBytesAhead = 256 << 10;
  if (needed <= body_.capacity()) return true;
  std::uint64_t room = std::min<std::uint64_t>(needed + std::max(needed / 2, kMinBytesAhead),
                                               std::max<std::uint64_t>(needed, context_.settings.max_source_bytes));
  if (!head_.is_encoded() && head_.content_length()) {
    room = std::min<std::uint64_t>(room, std::max<std::uint64_t>(needed, *head_.content_length()));
  }
  // A source that may be fetched at all has room when it is the only one.
  const HttpSettings& settings = context_.settings;
  if (!lease_.grow_to(room, std::max(settings.max_bytes_under_way, settings.max_source_bytes))) return false;
  body_.reserve(static_cast<std::size_t>(room));
  return true;
}

void HttpExchange::on_timeout() {
  timer_ = 0;
  is_out_of_time_ = true;
  context_.multi.remove(easy_.get());
  on_end(CURLE_OPERATION_TIMEDOUT);
}

// The end may have moved since the timer was started: moving the timer with each piece of a body would cost more.
void HttpExchange::on_low_speed_timer() {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*low_speed_.end() - LowSpeedWatch::Clock::now());
  if (left.count() > 0) {
    low_speed_timer_ = context_.reactor.start_timer(left, [this] { on_low_speed_timer(); });
    return;
  }
  low_speed_timer_ = 0;
  is_too_slow_ = true;
  context_.multi.remove(easy_.get());
  on_end(CURLE_OPERATION_TIMEDOUT);
}

void HttpExchange::stop_timers() {
  if (timer_ != 0) context_.reactor.cancel_timer(std::exchange(timer_, 0));
  if (low_speed_timer_ != 0) context_.reactor.cancel_timer(std::exchange(low_speed_timer_, 0));
}

void HttpExchange::on_end(CURLcode code) {
  stop_timers();
  done_(outcome(code));
}

base::Result<HttpAnswer> HttpExchange::outcome(CURLcode code) {
  if (head_refused_) return base::fail(origin_failed(cause("headers too large or contradictory")));
  if (!head_.is_complete()) {
    if (!refusal_.empty()) return base::fail(source_not_allowed(cause(refusal_)));
    return base::fail(code == CURLE_OK ? origin_failed(cause("no answer")) : transfer_error(code));
  }
  if (!has_source()) return HttpAnswer{std::move(head_), std::move(body_)};
  if (is_other_ || (code == CURLE_OK && first_bytes_.end())) return base::fail(video_source(cause("a video")));
  if (is_over_budget_) return base::fail(too_many_bytes_under_way(cause("the memory for bodies under way is used up")));
  if (body_too_large_ && head_.is_part()) return base::fail(origin_failed(cause("a part of more than was asked for")));
  if (body_too_large_) code = CURLE_FILESIZE_EXCEEDED;
  if (is_too_slow_) return base::fail(too_slow());
  if (code != CURLE_OK) return base::fail(transfer_error(code));
  // The end of the connection alone does not tell a whole compressed body from one that was cut off.
  if (head_.is_encoded() && !head_.is_framed())
    return base::fail(origin_failed(cause("encoded body without a length")));
  lease_.give_back();  // From here on the body is in the hands of whoever asked for it.
  return HttpAnswer{std::move(head_), std::move(body_)};
}

// The one place where libcurl's results become ours.
base::Error HttpExchange::transfer_error(CURLcode code) const {
  const std::string what = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return is_out_of_time_ ? origin_timed_out(context_.settings.total_timeout, cause(what))
                             : origin_connect_timed_out(context_.settings.connect_timeout, cause(what));
    // As for an address that is refused, or names that exist inside could be told from those that do not.
    case CURLE_COULDNT_RESOLVE_HOST:
      return context_.settings.policy.allows_by_name(request_.url.host) ? origin_failed(cause(what))
                                                                        : source_not_allowed(cause(what));
    case CURLE_FILESIZE_EXCEEDED: return source_too_large(context_.settings.max_source_bytes, cause(what));
    case CURLE_FAILED_INIT:
    case CURLE_SSL_CACERT_BADFILE: return source_fault(cause(what));
    // CURLE_OUT_OF_MEMORY among them: it is also what an endless header line comes to.
    default: return origin_failed(cause(what));
  }
}

base::Error HttpExchange::too_slow() const {
  const HttpSettings& settings = context_.settings;
  return origin_too_slow(static_cast<std::uint64_t>(settings.low_speed_bytes_per_second), settings.low_speed_time,
                         cause("too slow after " + std::to_string(body_.size()) + " bytes of the body"));
}

std::string HttpExchange::cause(const std::string& what) const {
  const char* address = nullptr;
  if (easy_) curl_easy_getinfo(easy_.get(), CURLINFO_PRIMARY_IP, &address);
  const bool connected = address != nullptr && *address != '\0';
  return without_query(request_.url.text) + (connected ? " [" + std::string(address) + "]: " : ": ") + what;
}

}  // namespace optimux::source
