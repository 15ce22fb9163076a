#include "source/metadata_client.hpp"

#include <chrono>
#include <utility>

#include "source/source_error.hpp"
#include "source/source_url.hpp"

namespace optimux::source {
namespace {

constexpr std::chrono::seconds kPatience{2};

}  // namespace

void MetadataClient::ask(HttpRequest::Method method, const std::string& url, const std::vector<std::string>& headers,
                         Callback callback) {
  auto target = parse_http_url(url);
  if (!target) return callback(base::fail(origin_failed("credentials: " + without_query(url) + " is no URL")));
  CurlList list = to_curl_list(headers);
  if (!list && !headers.empty()) return callback(base::fail(source_fault("libcurl: out of memory")));
  finished_ = std::move(exchange_);
  headers_.swap(list);  // The old ones go after their exchange has ended.
  HttpRequest request{.url = *std::move(target), .headers = headers_.get(), .method = method};
  request.keeps_explanations = true;  // What a PUT is answered counts as such.
  exchange_ = std::make_unique<HttpExchange>(context_, std::move(request), kPatience, callback);
  if (const base::Status started = exchange_->start(); !started) callback(base::fail(started.error()));
}

CurlList to_curl_list(const std::vector<std::string>& lines) {
  CurlList list;
  for (const std::string& line : lines) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return nullptr;
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

}  // namespace optimux::source
