#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "source/curl_handles.hpp"
#include "source/http_exchange.hpp"
#include "source/source.hpp"
#include "source/source_url.hpp"

namespace optimux::source {

/// One source from an HTTP origin: the exchange, and those that redirects lead to, each checked like the first. Of the
/// loop's thread alone.
class HttpFetch {
 public:
  using Done = std::function<void(base::Result<FetchedSource>)>;

  /// `headers` are sent with every request. `done` is called at most once, possibly from inside `start`, and must not
  /// destroy this object before it returns.
  HttpFetch(const HttpContext& context, CurlList headers, Done done);

  /// Fetches `url`. The origin's time runs from here.
  void start(const HttpUrl& url);

 private:
  void request(const HttpUrl& url);
  void on_answer(const HttpUrl& url, base::Result<HttpAnswer> answer);
  void follow(const HttpUrl& from, const std::string& location);

  const HttpContext context_;
  const CurlList headers_;
  const Done done_;
  base::Deadline deadline_;
  std::set<std::string> visited_;
  std::unique_ptr<HttpExchange> exchange_;
  std::unique_ptr<HttpExchange> finished_;  ///< The one before: it may be the caller of `on_answer`.
};

}  // namespace optimux::source
