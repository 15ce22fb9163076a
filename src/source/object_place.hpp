#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "source/object_store.hpp"

namespace optimux::source {

/// A bucket, or the part of it that is a folder: the keys that begin with a prefix which ends with a slash.
struct ObjectPlace {
  std::string bucket;
  std::string prefix;  ///< Empty, or ending with `/`.
  bool operator==(const ObjectPlace&) const = default;

  /// Reads `s3://BUCKET[/PREFIX]`; a slash is added to a prefix that has none at its end. Nothing when it is none: no
  /// name of a bucket, or a prefix with a NUL or with `.` or `..` as a component.
  static std::optional<ObjectPlace> parse(std::string_view text);

  /// The object `key` of this place, unless its dot segments would lead out if somebody on the way resolved them, as
  /// stores on file systems and proxies may do: nothing then. Dot segments that stay inside are taken as they are.
  std::optional<ObjectName> object(std::string_view key) const;

  /// Whether this place holds `name`; not if it would by its first bytes alone, but dot segments lead out.
  bool holds(const ObjectName& name) const;
};

/// Reads an object's URL, `s3://BUCKET/KEY`. As the `aws` command does, it takes the bytes of the key as they stand:
/// nothing is decoded, and `?`, `#` and `%` are part of it. Nothing when bucket or key are missing or hold what no name
/// can hold.
std::optional<ObjectName> parse_object_url(std::string_view url);

}  // namespace optimux::source
