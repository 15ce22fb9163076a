#include "source/s3_headers.hpp"

#include <map>
#include <utility>

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "source/s3_signature.hpp"

namespace optimux::source {
namespace {

using Headers = std::map<std::string, std::string>;

std::string tagging(const std::map<std::string, std::string>& tags) {
  std::string text;
  for (const auto& [key, value] : tags) {
    text.append(text.empty() ? "" : "&")
        .append(base::percent_encode(key))
        .append("=")
        .append(base::percent_encode(value));
  }
  return text;
}

void add(Headers& headers, const char* name, const std::string& value) {
  if (!value.empty()) headers[name] = value;
}

/// What S3 wants to be signed if it is sent. What proxies on the way may change, drop or add is not among them.
Headers headers_to_sign(const ObjectRequest& request) {
  Headers headers;
  if (request.action != ObjectRequest::Action::kPut) return headers;
  add(headers, "content-type", request.content_type);
  add(headers, "x-amz-tagging", tagging(request.tags));
  for (const auto& [name, value] : request.metadata) headers["x-amz-meta-" + name] = value;
  return headers;
}

Headers other_headers(const ObjectRequest& request) {
  Headers headers;
  if (request.range) headers["Range"] = request.range->field();
  add(headers, "If-Match", request.required_etag);
  add(headers, "If-None-Match", request.validators.etag);
  if (request.validators.last_modified) {
    headers["If-Modified-Since"] = base::format_http_date(*request.validators.last_modified);
  }
  add(headers, "Cache-Control", request.cache_control);
  return headers;
}

void sign(Headers& headers, const ObjectRequest& request, const S3Target& target, const S3Credentials& credentials,
          std::string_view region, const std::string& date, std::string_view payload_hash) {
  headers["host"] = target.authority;
  headers["x-amz-date"] = date;
  headers["x-amz-content-sha256"] = payload_hash;
  add(headers, "x-amz-security-token", credentials.session_token);
  const S3RequestToSign to_sign{std::string(s3_method(request.action)), target.path, target.query, headers,
                                std::string(payload_hash)};
  headers["authorization"] = s3_authorization(to_sign, credentials, region, date);
  headers.erase("host");  // libcurl sends it, from the same URL.
}

}  // namespace

std::string_view s3_method(ObjectRequest::Action action) {
  switch (action) {
    case ObjectRequest::Action::kGet:
    case ObjectRequest::Action::kList: return "GET";
    case ObjectRequest::Action::kHead: return "HEAD";
    case ObjectRequest::Action::kPut: return "PUT";
    case ObjectRequest::Action::kDelete: break;
  }
  return "DELETE";
}

std::vector<std::string> s3_headers(const ObjectRequest& request, const S3Target& target,
                                    const S3Credentials& credentials, std::string_view region,
                                    std::chrono::system_clock::time_point time, std::string_view payload_hash) {
  Headers headers = headers_to_sign(request);
  if (!credentials.is_anonymous()) {
    sign(headers, request, target, credentials, region, s3_date(time), payload_hash);
  }
  headers.merge(other_headers(request));
  std::vector<std::string> lines;
  for (const auto& [name, value] : headers) lines.push_back(name + ": " + value);
  // libcurl would wait for leave before it sends a large body, and for the type of a form where none is given.
  if (request.action == ObjectRequest::Action::kPut) {
    lines.emplace_back("Expect:");
    if (request.content_type.empty()) lines.emplace_back("Content-Type:");
  }
  return lines;
}

}  // namespace optimux::source
