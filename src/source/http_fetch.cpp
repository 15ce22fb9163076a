#include "source/http_fetch.hpp"

#include <algorithm>
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

HttpFetch::HttpFetch(const HttpContext& context, HttpWish wish, Done done)
    : context_(context), wish_(std::move(wish)), done_(std::move(done)) {}

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
  headers_ = headers_to_send();
  if (!headers_) return done_(base::fail(source_fault("libcurl: out of memory")));
  const auto time_left = std::chrono::ceil<std::chrono::milliseconds>(deadline_.remaining());
  HttpRequest request{.url = url, .headers = headers_.get(), .is_other = wish_.is_other};
  request.takes_parts = wish_.range.has_value();
  request.max_part_bytes = wish_.range ? wish_.range->count : 0;
  request.takes_whole = !wish_.range || wish_.takes_whole;
  exchange_ = std::make_unique<HttpExchange>(
      context_, std::move(request), time_left,
      [this, url](base::Result<HttpAnswer> answer) { on_answer(url, std::move(answer)); });
  if (base::Status started = exchange_->start(); !started) done_(base::fail(started.error()));
}

CurlList HttpFetch::headers_to_send() const {
  const SourceValidators& validators = is_conditional_ ? wish_.validators : SourceValidators();
  return wish_.range ? part_headers(wish_.via, *wish_.range, validators) : fetch_headers(wish_.via, validators);
}

bool HttpFetch::is_place_of_validators(const HttpUrl& url) const {
  return !wish_.validators.empty() && url.text == (wish_.validators.place.empty() ? start_ : wish_.validators.place);
}

void HttpFetch::on_answer(const HttpUrl& url, base::Result<HttpAnswer> answer) {
  if (!answer) return done_(base::fail(answer.error()));
  const HttpResponseHead& head = answer->head;
  if (head.is_redirect() && !head.location().empty()) {
    redirects_.emplace_back(head.facts().freshness, head.is_permanent_redirect());
    return follow(url, head.location());
  }
  if (wish_.range && head.is_part()) return on_part(url, *std::move(answer));
  if (wish_.range && !(head.has_source() && wish_.takes_whole)) return on_no_part(url, head);
  if (head.is_not_modified() && is_conditional_) return on_not_modified(url, head);
  if (!head.has_source()) {
    return done_(
        base::fail(status_error(head.status(), without_query(url.text) + ": status " + std::to_string(head.status()))));
  }
  SourceFacts facts = facts_of(url, head);
  done_(HttpFetched{std::move(answer->body), std::move(facts)});
}

// What an origin calls a part is believed only if it is the one that was asked for, byte for byte.
void HttpFetch::on_part(const HttpUrl& url, HttpAnswer answer) {
  const auto part = parse_content_range(answer.head.field("content-range"));
  const auto wanted = [&] {
    return ByteRange{wish_.range->first, std::min(wish_.range->count, part->total - wish_.range->first)};
  };
  const bool is_right = part && part->part && wish_.range->first < part->total && *part->part == wanted() &&
                        answer.body.size() == part->part->count;
  if (!is_right) return done_(base::fail(origin_failed(without_query(url.text) + ": not the part that was asked for")));
  SourceFacts facts = facts_of(url, answer.head);
  done_(HttpFetched{std::move(answer.body), std::move(facts), false, part});
}

// A source without bytes has no part either; one that has bytes but not these, or that comes whole where a part of a
// state was asked for, is in another state by now.
void HttpFetch::on_no_part(const HttpUrl& url, const HttpResponseHead& head) {
  const auto extent = parse_content_range(head.field("content-range"));
  if (head.status() == 416 && wish_.range->first == 0 && extent && extent->total == 0) {
    return done_(HttpFetched{{}, facts_of(url, head), false, extent});
  }
  const std::string cause = without_query(url.text) + ": status " + std::to_string(head.status());
  const bool has_changed = head.has_source() || head.status() == 412 || head.status() == 416;
  done_(base::fail(has_changed ? source_changed(cause) : status_error(head.status(), cause)));
}

// A strong tag that is not the one that was asked about belongs to another state (RFC 9111, section 4.3.4).
void HttpFetch::on_not_modified(const HttpUrl& url, const HttpResponseHead& head) {
  SourceFacts facts = facts_of(url, head);
  const bool has_strong_tag = !facts.etag.empty() && facts.etag.substr(0, 2) != "W/";
  if (has_strong_tag && facts.etag != wish_.validators.etag) {
    wish_.validators = {};
    return request(url);
  }
  if (facts.etag.empty()) facts.etag = wish_.validators.etag;
  if (!facts.last_modified) facts.last_modified = wish_.validators.last_modified;
  done_(HttpFetched{{}, std::move(facts), true});
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
