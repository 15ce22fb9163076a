#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "source/content_range.hpp"
#include "source/curl_handles.hpp"
#include "source/fetch_headers.hpp"
#include "source/http_exchange.hpp"
#include "source/source.hpp"
#include "source/source_url.hpp"

namespace optimux::source {

/// What is wanted of a URL.
struct HttpWish {
  std::string via = {};  ///< As in `hops_of`.
  /// Without a range: those of the state that the asker has. With one: those of the state that it must be a part of.
  /// They go to the URL that they belong to, and nowhere else on the way.
  SourceValidators validators = {};
  std::optional<ByteRange> range = {};  ///< A part alone is wanted …
  bool takes_whole = true;              ///< … but the whole will do.
  IsOther is_other = {};
};

/// What came of it.
struct HttpFetched {
  base::ByteBuffer bytes;
  SourceFacts facts;
  bool not_modified = false;              ///< There are no bytes.
  std::optional<ContentRange> part = {};  ///< Which bytes these are; nothing: all.
};

/// One source from an HTTP origin, or a part of one: the exchange, and those that redirects lead to, each checked like
/// the first. Of the loop's thread alone.
class HttpFetch {
 public:
  using Done = std::function<void(base::Result<HttpFetched>)>;

  /// `done` is called at most once, possibly from inside `start`, and must not destroy this object before it returns.
  HttpFetch(const HttpContext& context, HttpWish wish, Done done);

  /// Fetches `url`. The origin's time runs from here.
  void start(const HttpUrl& url);

 private:
  void request(const HttpUrl& url);
  CurlList headers_to_send() const;
  bool is_place_of_validators(const HttpUrl& url) const;
  void on_answer(const HttpUrl& url, base::Result<HttpAnswer> answer);
  void on_not_modified(const HttpUrl& url, const HttpResponseHead& head);
  void on_part(const HttpUrl& url, HttpAnswer answer);
  void on_no_part(const HttpUrl& url, const HttpResponseHead& head);
  SourceFacts facts_of(const HttpUrl& url, const HttpResponseHead& head) const;
  void follow(const HttpUrl& from, const std::string& location);

  const HttpContext context_;
  HttpWish wish_;  ///< Without validators: nothing is asked about any more.
  const Done done_;
  base::Deadline deadline_;
  std::string start_;  ///< The URL that was asked for.
  std::set<std::string> visited_;
  std::vector<std::pair<OriginFreshness, bool>> redirects_;  ///< What they said, and whether they are permanent.
  bool is_conditional_ = false;  ///< Whether the exchange under way asks about the validators.
  CurlList headers_;             ///< Of the exchange under way.
  CurlList finished_headers_;
  std::unique_ptr<HttpExchange> exchange_;
  std::unique_ptr<HttpExchange> finished_;  ///< The one before: it may be the caller of `on_answer`.
};

}  // namespace optimux::source
