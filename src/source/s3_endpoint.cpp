#include "source/s3_endpoint.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using base::Result;

constexpr std::size_t kMaxKeyBytes = 1024;
constexpr std::size_t kMaxLabel = 63;  // RFC 1035, section 2.3.4
constexpr std::string_view kSchemeEnd = "://";

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz0123456789-";

std::string amazon_endpoint(std::string_view region) {
  const std::string_view domain = region.substr(0, 3) == "cn-" ? ".amazonaws.com.cn" : ".amazonaws.com";
  return "https://s3." + std::string(region) + std::string(domain);
}

/// One label of a host name: a dot would need a certificate of its own, since wildcards stand for one label.
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel && text.find_first_not_of(kLower) == std::string_view::npos &&
         text.front() != '-' && text.back() != '-';
}

tl::unexpected<base::Error> refused(std::string detail) {
  return base::fail(base::ErrorCode::kInvalidParameter, std::move(detail));
}

constexpr std::array<std::pair<S3Addressing, std::string_view>, 3> kAddressings = {
    {{S3Addressing::kAuto, "auto"}, {S3Addressing::kPath, "path"}, {S3Addressing::kHost, "host"}}};

}  // namespace

std::string_view name_of(S3Addressing addressing) {
  for (const auto& [value, name] : kAddressings) {
    if (value == addressing) return name;
  }
  return {};
}

std::optional<S3Addressing> parse_s3_addressing(std::string_view text) {
  for (const auto& [value, name] : kAddressings) {
    if (name == text) return value;
  }
  return std::nullopt;
}

Result<S3Endpoint> S3Endpoint::make(std::string_view endpoint, std::string_view region, S3Addressing addressing) {
  if (!is_region_name(region)) {
    return refused("s3_region '" + std::string(region) + "' is no name of a region: write letters, digits and -");
  }
  S3Endpoint result;
  result.addressing_ = addressing;
  result.is_amazon_ = endpoint.empty();
  const auto url = parse_http_url(result.is_amazon_ ? amazon_endpoint(region) : std::string(endpoint));
  const std::string complaint =
      "s3_endpoint '" + std::string(endpoint) + "' is none: write http://HOST[:PORT] or https://HOST[:PORT]";
  if (!url) return refused(complaint);
  const std::size_t begin = url->text.find(kSchemeEnd) + kSchemeEnd.size();
  const std::size_t end = url->text.find('/', begin);
  if (url->text.substr(end) != "/") return refused(complaint);
  result.scheme_ = url->text.substr(0, begin);
  result.authority_ = url->text.substr(begin, end - begin);
  result.host_ = url->host;
  return result;
}

Result<S3Target> S3Endpoint::target_of(const ObjectName& name) const {
  if (name.key.empty()) return base::fail(source_not_found("the key of an object is empty"));
  return target(name, "");
}

// The protocol's second version of listing (ListObjectsV2).
Result<S3Target> S3Endpoint::list_target_of(const ObjectName& prefix, const std::string& continuation) const {
  std::string query = "list-type=2&prefix=" + base::percent_encode(prefix.key);
  if (!continuation.empty()) query = "continuation-token=" + base::percent_encode(continuation) + "&" + query;
  return target({prefix.bucket, ""}, query);
}

Result<S3Target> S3Endpoint::target(const ObjectName& name, const std::string& query) const {
  const bool is_possible =
      is_bucket_name(name.bucket) && name.key.size() <= kMaxKeyBytes && name.key.find('\0') == std::string::npos;
  const bool in_host = puts_bucket_in_host(name.bucket);
  if (!is_possible || (in_host && !is_label(name.bucket))) {
    return base::fail(source_not_found("no bucket or key of an object store: " + name.bucket + "/" + name.key));
  }
  S3Target target;
  target.authority = in_host ? name.bucket + "." + authority_ : authority_;
  target.path = in_host ? "" : "/" + name.bucket;
  // A bucket itself is named without a slash: some stores sign its path so, whatever was sent.
  if (in_host || !name.key.empty()) target.path += "/" + base::percent_encode(name.key, "/");
  target.query = query;
  target.url.text = scheme_ + target.authority + target.path + (query.empty() ? "" : "?" + query);
  target.url.host = in_host ? name.bucket + "." + host_ : host_;
  return target;
}

bool S3Endpoint::puts_bucket_in_host(std::string_view bucket) const {
  if (addressing_ == S3Addressing::kAuto) return is_amazon_ && is_label(bucket);
  return addressing_ == S3Addressing::kHost;
}

bool is_bucket_name(std::string_view text) {
  constexpr std::size_t kMaxBytes = 255;
  const auto labels = base::split(text, '.');
  const auto is_good = [](std::string_view label) {
    return !label.empty() && std::all_of(label.begin(), label.end(), [](char c) {
      return (c >= 'A' && c <= 'Z') || c == '_' || kLower.find(c) != std::string_view::npos;
    });
  };
  return text.size() <= kMaxBytes && std::all_of(labels.begin(), labels.end(), is_good);
}

bool is_region_name(std::string_view text) {
  constexpr std::size_t kMaxBytes = 64;
  return !text.empty() && text.size() <= kMaxBytes && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || kLower.find(c) != std::string_view::npos;
  });
}

}  // namespace optimux::source
