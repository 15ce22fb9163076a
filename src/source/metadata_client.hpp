#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/curl_handles.hpp"
#include "source/http_exchange.hpp"

namespace optimux::source {

/// Asks a metadata service, one question after the other: small documents, near by, answered within two seconds or not
/// at all. Follows no redirects. Of the loop's thread alone.
class MetadataClient {
 public:
  using Callback = std::function<void(base::Result<HttpAnswer>)>;

  /// `context` outlives the client; its policy must allow the service.
  explicit MetadataClient(const HttpContext& context) : context_(context) {}
  MetadataClient(const MetadataClient&) = delete;
  MetadataClient& operator=(const MetadataClient&) = delete;

  /// Sends a request with these header lines and calls `callback` once, perhaps before it returns; not after the client
  /// has gone. Only one request at a time, but the next may begin inside of the callback. Errors: kOriginFailed (its
  /// cause never holds headers or a query), kOriginTimeout, kInternal.
  void ask(HttpRequest::Method method, const std::string& url, const std::vector<std::string>& headers,
           Callback callback);

 private:
  const HttpContext& context_;
  CurlList headers_;
  std::unique_ptr<HttpExchange> exchange_;
  std::unique_ptr<HttpExchange> finished_;  ///< The one before: it may be the caller of the next `ask`.
};

/// `lines` as libcurl takes them; null when memory is used up, or there are none.
CurlList to_curl_list(const std::vector<std::string>& lines);

}  // namespace optimux::source
