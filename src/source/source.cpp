#include "source/source.hpp"

#include <utility>

#include "source/object_place.hpp"
#include "source/source_url.hpp"

namespace optimux::source {

std::string SourceLocator::canonical() const {
  switch (kind) {
    case Kind::kFile: return "file:" + value;
    case Kind::kHttp: return "http:" + value;
    case Kind::kObject: break;
  }
  return "s3:" + value;
}

SourceFacts SourceFacts::confirmed_by(const SourceFacts& confirmation) const {
  SourceFacts facts = *this;
  if (!confirmation.etag.empty()) facts.etag = confirmation.etag;
  if (confirmation.last_modified) facts.last_modified = confirmation.last_modified;
  if (!confirmation.cache_control.empty()) facts.cache_control = confirmation.cache_control;
  if (confirmation.freshness.is_known()) facts.freshness = confirmation.freshness;
  return facts;
}

namespace {

base::Result<SourceLocator> parse_s3_url(std::string_view url) {
  if (url.size() > kMaxUrlBytes) {
    return base::fail(base::ErrorCode::kInvalidUrl, "the source URL is longer than 8192 bytes");
  }
  const auto name = parse_object_url(url);
  if (!name) {
    return base::fail(base::ErrorCode::kInvalidUrl, "the source URL names no object: write s3://BUCKET/KEY");
  }
  return SourceLocator{SourceLocator::Kind::kObject, name->bucket + "/" + name->key};
}

}  // namespace

base::Result<SourceLocator> parse_source_url(std::string_view url) {
  const std::string scheme = scheme_of(url);
  if (scheme == "s3") return parse_s3_url(url);
  if (scheme == "file") {
    auto key = parse_file_url(url);
    if (!key) return base::fail(key.error());
    return make_file_locator(*key);
  }
  auto http = parse_http_url(url);
  if (!http) return base::fail(http.error());
  return SourceLocator{SourceLocator::Kind::kHttp, std::move(http->text)};
}

base::Result<SourceLocator> make_file_locator(std::string_view key) {
  if (key.empty()) return base::fail(base::ErrorCode::kInvalidUrl, "the key of the source is empty");
  if (key.size() > kMaxUrlBytes) {
    return base::fail(base::ErrorCode::kInvalidUrl, "the key of the source is longer than 8192 bytes");
  }
  if (key.find('\0') != std::string_view::npos) {
    return base::fail(base::ErrorCode::kInvalidUrl, "the key of the source holds a NUL byte");
  }
  return SourceLocator{SourceLocator::Kind::kFile, std::string(key)};
}

}  // namespace optimux::source
