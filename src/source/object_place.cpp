#include "source/object_place.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "source/s3_endpoint.hpp"

namespace optimux::source {
namespace {

constexpr std::string_view kScheme = "s3://";

bool has_scheme(std::string_view url) {
  return base::equals_ignoring_case(url.substr(0, kScheme.size()), kScheme);
}

/// Whether the segments of `path` never lead above where they begin, also if doubled slashes count as one.
bool stays_inside(std::string_view path) {
  int depth = 0;
  for (const std::string_view segment : base::split(path, '/')) {
    if (segment == "..") --depth;
    if (depth < 0) return false;
    if (!segment.empty() && segment != "." && segment != "..") ++depth;
  }
  return true;
}

bool has_dot_segment(std::string_view path) {
  const auto segments = base::split(path, '/');
  return std::any_of(segments.begin(), segments.end(), [](auto segment) { return segment == "." || segment == ".."; });
}

/// `BUCKET/KEY` in two; the key is empty where there is none.
ObjectName name_of(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  return {std::string(text.substr(0, slash)), std::string(text.substr(std::min(slash + 1, text.size())))};
}

}  // namespace

std::optional<ObjectPlace> ObjectPlace::parse(std::string_view text) {
  if (!has_scheme(text)) return std::nullopt;
  auto [bucket, prefix] = name_of(text.substr(kScheme.size()));
  if (!is_bucket_name(bucket) || prefix.find('\0') != std::string::npos || has_dot_segment(prefix)) return std::nullopt;
  if (!prefix.empty() && prefix.back() != '/') prefix += '/';
  return ObjectPlace{std::move(bucket), std::move(prefix)};
}

std::optional<ObjectName> ObjectPlace::object(std::string_view key) const {
  if (!stays_inside(key)) return std::nullopt;
  return ObjectName{bucket, prefix + std::string(key)};
}

bool ObjectPlace::holds(const ObjectName& name) const {
  return name.bucket == bucket && name.key.compare(0, prefix.size(), prefix) == 0 &&
         stays_inside(std::string_view(name.key).substr(prefix.size()));
}

std::optional<ObjectName> parse_object_url(std::string_view url) {
  if (!has_scheme(url)) return std::nullopt;
  ObjectName name = name_of(url.substr(kScheme.size()));
  const bool is_name = is_bucket_name(name.bucket) && !name.key.empty() && name.key.find('\0') == std::string::npos;
  return is_name ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace optimux::source
