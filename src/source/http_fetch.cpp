#include "source/http_fetch.hpp"

#include <utility>

#include "source/source_error.hpp"

namespace optimux::source {
namespace {

// What a status other than success says about the source (RFC 9110, section 15).
base::Error status_error(int status, std::string cause) {
  switch (status) {
    case 404:
    case 410: return source_not_found(std::move(cause));
    case 401:
    case 403: return source_not_allowed(std::move(cause));
    default: return origin_failed(std::move(cause));
  }
}

std::string arrow(const HttpUrl& from, std::string_view to) {
  return without_query(from.text) + " -> " + without_query(to);
}

}  // namespace

HttpFetch::HttpFetch(const HttpContext& context, std::string via, SourceValidators validators, Done done)
    : context_(context), via_(std::move(via)), validators_(std::move(validators)), done_(std::move(done)) {}

void HttpFetch::start(const HttpUrl& url) {
  start_ = url.text;
  deadline_ = base::Deadline::after(context_.settings.total_timeout);
  request(url);
}

void HttpFetch::request(const HttpUrl& url) {
  if (auto reason = context_.settings.allowed.refusal(url)) return done_(base::fail(source_not_allowed(*reason)));
  visited_.insert(url.text);
  finished_ = std::move(exchange_);
  finished_headers_ = std::move(headers_);
  is_conditional_ = is_place_of_validators(url);
  headers_ = fetch_headers(via_, is_conditional_ ? validators_ : SourceValidators());
  if (!headers_) return done_(base::fail(source_fault("libcurl: out of memory")));
  const auto time_left = std::chrono::ceil<std::chrono::milliseconds>(deadline_.remaining());
  exchange_ = std::make_unique<HttpExchange>(
      context_, HttpRequest{.url = url, .headers = headers_.get()}, time_left,
      [this, url](base::Result<HttpAnswer> answer) { on_answer(url, std::move(answer)); });
  if (base::Status started = exchange_->start(); !started) done_(base::fail(started.error()));
}

bool HttpFetch::is_place_of_validators(const HttpUrl& url) const {
  return !validators_.empty() && url.text == (validators_.place.empty() ? start_ : validators_.place);
}

void HttpFetch::on_answer(const HttpUrl& url, base::Result<HttpAnswer> answer) {
  if (!answer) return done_(base::fail(answer.error()));
  const HttpResponseHead& head = answer->head;
  if (head.is_redirect() && !head.location().empty()) {
    redirects_.emplace_back(head.facts().freshness, head.is_permanent_redirect());
    return follow(url, head.location());
  }
  if (head.is_not_modified() && is_conditional_) return on_not_modified(url, head);
  if (!head.has_source()) {
    return done_(
        base::fail(status_error(head.status(), without_query(url.text) + ": status " + std::to_string(head.status()))));
  }
  SourceFacts facts = facts_of(url, head);
  done_(FetchedSource{std::make_shared<const base::ByteBuffer>(std::move(answer->body)), std::move(facts)});
}

// A strong tag that is not the one that was asked about belongs to another state (RFC 9111, section 4.3.4).
void HttpFetch::on_not_modified(const HttpUrl& url, const HttpResponseHead& head) {
  SourceFacts facts = facts_of(url, head);
  const bool has_strong_tag = !facts.etag.empty() && facts.etag.substr(0, 2) != "W/";
  if (has_strong_tag && facts.etag != validators_.etag) {
    validators_ = {};
    return request(url);
  }
  if (facts.etag.empty()) facts.etag = validators_.etag;
  if (!facts.last_modified) facts.last_modified = validators_.last_modified;
  done_(FetchedSource{nullptr, std::move(facts), true});
}

SourceFacts HttpFetch::facts_of(const HttpUrl& url, const HttpResponseHead& head) const {
  SourceFacts facts = head.facts();
  if (url.text != start_) facts.place = url.text;
  for (const auto& [freshness, is_permanent] : redirects_) facts.freshness.limit_by_redirect(freshness, is_permanent);
  return facts;
}

void HttpFetch::follow(const HttpUrl& from, const std::string& location) {
  auto target = resolve_http_url(from, location);
  if (!target) {
    const std::string cause = arrow(from, location) + ": " + target.error().cause;
    const bool forbidden = target.error().code == base::ErrorCode::kForbiddenSource;
    return done_(base::fail(forbidden ? source_not_allowed(cause) : origin_failed(cause)));
  }
  if (visited_.count(target->text) != 0) {
    return done_(base::fail(origin_failed("redirect loop: " + arrow(from, target->text))));
  }
  if (visited_.size() > static_cast<std::size_t>(context_.settings.max_redirects)) {
    return done_(base::fail(origin_failed("too many redirects: " + arrow(from, target->text))));
  }
  request(*target);
}

}  // namespace optimux::source
