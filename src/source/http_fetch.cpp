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

HttpFetch::HttpFetch(const HttpContext& context, CurlList headers, Done done)
    : context_(context), headers_(std::move(headers)), done_(std::move(done)) {}

void HttpFetch::start(const HttpUrl& url) {
  deadline_ = base::Deadline::after(context_.settings.total_timeout);
  request(url);
}

void HttpFetch::request(const HttpUrl& url) {
  visited_.insert(url.text);
  finished_ = std::move(exchange_);
  const auto time_left = std::chrono::ceil<std::chrono::milliseconds>(deadline_.remaining());
  exchange_ = std::make_unique<HttpExchange>(
      context_, url, headers_.get(), time_left,
      [this, url](base::Result<HttpAnswer> answer) { on_answer(url, std::move(answer)); });
  if (base::Status started = exchange_->start(); !started) done_(base::fail(started.error()));
}

void HttpFetch::on_answer(const HttpUrl& url, base::Result<HttpAnswer> answer) {
  if (!answer) return done_(base::fail(answer.error()));
  const HttpResponseHead& head = answer->head;
  if (head.is_redirect() && !head.location().empty()) return follow(url, head.location());
  if (!head.has_source()) {
    return done_(
        base::fail(status_error(head.status(), without_query(url.text) + ": status " + std::to_string(head.status()))));
  }
  done_(FetchedSource{std::make_shared<const base::ByteBuffer>(std::move(answer->body)), head.facts()});
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
