#include "source/s3_call.hpp"

#include <algorithm>
#include <utility>

#include "base/http_date.hpp"
#include "source/metadata_client.hpp"
#include "source/s3_headers.hpp"
#include "source/source_error.hpp"
#include "source/xml_text.hpp"

namespace optimux::source {
namespace {

using Action = ObjectRequest::Action;
using Clock = std::chrono::system_clock;
using std::chrono::milliseconds;

constexpr std::string_view kMetadataPrefix = "x-amz-meta-";
// Stores take a request whose date is up to fifteen minutes off. A HEAD is refused without a word.
constexpr std::chrono::minutes kSkewed{14};

HttpRequest::Method method_of(Action action) {
  switch (action) {
    case Action::kGet:
    case Action::kList: return HttpRequest::Method::kGet;
    case Action::kHead: return HttpRequest::Method::kHead;
    case Action::kPut: return HttpRequest::Method::kPut;
    case Action::kDelete: break;
  }
  return HttpRequest::Method::kDelete;
}

ObjectFacts facts_of(const HttpResponseHead& head) {
  ObjectFacts facts{head.facts(), std::string(head.field("content-type")), {}};
  for (const auto& [name, value] : head.fields()) {
    if (name.substr(0, kMetadataPrefix.size()) == kMetadataPrefix) {
      facts.metadata.emplace(name.substr(kMetadataPrefix.size()), value);
    }
  }
  return facts;
}

/// What the other side's clock is ahead of this one, if it says its time.
std::optional<std::chrono::seconds> clock_offset(const HttpResponseHead& head) {
  const auto date = base::parse_http_date(head.field("date"));
  if (!date) return std::nullopt;
  return std::chrono::round<std::chrono::seconds>(*date - Clock::now());
}

}  // namespace

S3Call::S3Call(S3Context& context, ObjectRequest request, std::string payload_hash, Done done)
    : context_(context), request_(std::move(request)), payload_hash_(std::move(payload_hash)), done_(std::move(done)) {}

S3Call::~S3Call() {
  stop_timer();
  if (is_admitted_) breaker().abandoned();
}

void S3Call::start() {
  auto target = request_.action == Action::kList
                    ? context_.endpoint.list_target_of(request_.name, request_.continuation)
                    : context_.endpoint.target_of(request_.name);
  if (!target) return fail(target.error());
  target_ = *std::move(target);
  deadline_ = base::Deadline::after(context_.settings.http.total_timeout).sooner(request_.deadline);
  ask_for_credentials();
}

void S3Call::ask_for_credentials() {
  context_.credentials.get([this, life = std::weak_ptr<int>(life_)](const base::Result<S3Credentials>& credentials) {
    if (life.expired()) return;
    if (!credentials) return fail(credentials.error());
    send(*credentials);
  });
}

void S3Call::send(const S3Credentials& credentials) {
  credentials_ = credentials;
  if (!breaker().admit(CircuitBreaker::Clock::now())) {
    ++context_.counters.breaker_refusals;
    return fail(origin_failed(place() + ": given up for a while, after failures in a row"));
  }
  is_admitted_ = true;
  if (++attempts_ > 1) ++context_.counters.retries;
  if (const base::Status started = start_exchange(); !started) return fail(started.error());
  watch_for_answer();
}

base::Status S3Call::start_exchange() {
  headers_ = to_curl_list(s3_headers(request_, target_, credentials_, context_.settings.region,
                                     Clock::now() + context_.clock_offset, payload_hash_));
  HttpRequest request{.url = target_.url, .headers = headers_.get(), .method = method_of(request_.action)};
  request.body = request_.body;
  request.takes_parts = request_.range.has_value();
  request.max_part_bytes = request_.range ? request_.range->count : 0;
  request.is_other = request_.is_other;
  request.keeps_explanations = true;
  request.connects_anew = connects_anew_;
  exchange_ = std::make_unique<HttpExchange>(context_.http, std::move(request), time_left(),
                                             [this](base::Result<HttpAnswer> answer) { on_answer(std::move(answer)); });
  return exchange_->start();
}

void S3Call::watch_for_answer() {
  const int attempts_left = context_.settings.max_attempts - attempts_;
  if (attempts_left <= 0 || request_.action == Action::kPut) return;
  timer_ = context_.http.reactor.start_timer(time_left() / (attempts_left + 1), [this] { on_no_answer(); });
}

void S3Call::on_no_answer() {
  timer_ = 0;
  if (exchange_->has_head()) return;
  exchange_.reset();
  attempt_failed(origin_timed_out(context_.settings.http.total_timeout, place() + ": no answer to this attempt"));
}

void S3Call::on_answer(base::Result<HttpAnswer> answer) {
  stop_timer();
  if (!answer) {
    const base::ErrorCode code = answer.error().code;
    if (code == base::ErrorCode::kVideoSource) host_succeeded();
    const bool may_help = code == base::ErrorCode::kOriginFailed || code == base::ErrorCode::kOriginTimeout;
    return may_help ? attempt_failed(answer.error()) : fail(answer.error());
  }
  if (is_done_by(answer->head)) return succeed(*std::move(answer));
  take_refusal(*answer);
}

bool S3Call::is_done_by(const HttpResponseHead& head) const {
  const int status = head.status();
  switch (request_.action) {
    case Action::kGet:
      if (head.is_not_modified()) return !request_.validators.empty();
      return request_.range ? head.is_part() : head.has_source();
    case Action::kHead:
    case Action::kList: return head.has_source();
    case Action::kPut: return status == 200 || status == 201 || status == 204;
    case Action::kDelete: return status == 200 || status == 204;
  }
  return false;
}

void S3Call::take_refusal(const HttpAnswer& answer) {
  auto refusal =
      S3Refusal::read(answer.head.status(), {reinterpret_cast<const char*>(answer.body.data()), answer.body.size()});
  const auto offset = clock_offset(answer.head);
  if (refusal.status == 403 && refusal.code.empty() && offset &&
      std::chrono::abs(*offset - context_.clock_offset) > kSkewed) {
    refusal.code = "RequestTimeTooSkewed";
  }
  const base::Error error = error_for(refusal, place());
  const S3Remedy remedy = remedy_for(refusal);
  if (remedy == S3Remedy::kRetry) return attempt_failed(error);
  if (remedy == S3Remedy::kCorrectClock && correct_clock(answer.head)) return;
  if (remedy == S3Remedy::kRenewCredentials && renew_credentials()) return;
  const bool is_gone = request_.action == Action::kDelete && refusal.status == 404 && refusal.code != "NoSuchBucket";
  host_succeeded();
  return is_gone ? done_(ObjectAnswer{}) : fail(error);
}

bool S3Call::correct_clock(const HttpResponseHead& head) {
  const auto offset = clock_offset(head);
  if (has_corrected_clock_ || !offset) return false;
  has_corrected_clock_ = true;
  context_.clock_offset = *offset;
  repeat();
  return true;
}

bool S3Call::renew_credentials() {
  if (has_renewed_credentials_ || credentials_.is_anonymous()) return false;
  has_renewed_credentials_ = true;
  context_.credentials.reject(credentials_);
  repeat();
  return true;
}

void S3Call::repeat() {
  host_succeeded();
  --attempts_;  // That one was no fault of the store's.
  send_again_after(milliseconds(0));
}

void S3Call::succeed(HttpAnswer answer) {
  host_succeeded();
  ObjectAnswer result;
  result.facts = facts_of(answer.head);
  result.not_modified = answer.head.is_not_modified();
  const auto part = parse_content_range(answer.head.field("content-range"));
  if (request_.action == Action::kHead) result.size = answer.head.content_length().value_or(0);
  if (request_.action == Action::kGet && !result.not_modified) {
    result.size = answer.head.is_part() && part ? part->total : answer.body.size();
    result.bytes = std::make_shared<const base::ByteBuffer>(std::move(answer.body));
  }
  if (request_.action == Action::kList) {
    const std::string_view page(reinterpret_cast<const char*>(answer.body.data()), answer.body.size());
    result.keys = xml_texts(page, "Key");
    if (xml_text(page, "IsTruncated") == "true") result.continuation = xml_text(page, "NextContinuationToken");
  }
  done_(std::move(result));
}

void S3Call::fail(const base::Error& error) {
  if (is_admitted_) breaker().abandoned();
  is_admitted_ = false;
  done_(base::fail(error));
}

void S3Call::attempt_failed(const base::Error& error) {
  host_failed();
  if (attempts_ >= context_.settings.max_attempts) return fail(error);
  const double chance = std::uniform_real_distribution<double>(0.0, 1.0)(context_.random);
  const milliseconds delay = retry_delay(context_.settings.delays, attempts_, chance);
  if (delay >= time_left()) return fail(error);
  connects_anew_ = true;
  send_again_after(delay);
}

// Always by way of the loop: this may run inside of the exchange that is to go.
void S3Call::send_again_after(milliseconds delay) {
  timer_ = context_.http.reactor.start_timer(delay, [this] {
    timer_ = 0;
    exchange_.reset();
    ask_for_credentials();
  });
}

void S3Call::stop_timer() {
  if (timer_ != 0) context_.http.reactor.cancel_timer(std::exchange(timer_, 0));
}

CircuitBreaker& S3Call::breaker() {
  return context_.breakers.try_emplace(target_.authority, context_.settings.breaker).first->second;
}

void S3Call::host_succeeded() {
  if (breaker().is_open()) --context_.counters.open_breakers;
  breaker().succeeded();
  is_admitted_ = false;
}

void S3Call::host_failed() {
  const bool was_open = breaker().is_open();
  if (breaker().failed(CircuitBreaker::Clock::now())) {
    ++context_.counters.breaker_opens;
    if (!was_open) ++context_.counters.open_breakers;
  }
  is_admitted_ = false;
}

milliseconds S3Call::time_left() const {
  return std::chrono::ceil<milliseconds>(deadline_.remaining());
}

std::string S3Call::place() const {
  return std::string(s3_method(request_.action)) + " " + target_.url.text;
}

}  // namespace optimux::source
