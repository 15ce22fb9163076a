#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "source/object_store.hpp"
#include "source/source_url.hpp"

namespace optimux::source {

/// Where the name of the bucket stands in a request.
enum class S3Addressing {
  kAuto,  ///< In the host at AWS if the name allows it, else in the path.
  kPath,  ///< `https://HOST/BUCKET/KEY`
  kHost,  ///< `https://BUCKET.HOST/KEY`
};

/// `auto`, `path`, `host`.
std::string_view name_of(S3Addressing addressing);
/// Reads what `name_of` writes; nothing for other texts.
std::optional<S3Addressing> parse_s3_addressing(std::string_view text);

/// A request's target, as it is sent and as it is signed.
struct S3Target {
  HttpUrl url;
  std::string authority;   ///< Value of the `Host` header.
  std::string path;        ///< Percent-encoded; ends with the key's bytes, of which only unreserved ones and `/` stay.
  std::string query = {};  ///< In order of its names, all percent-encoded, without its mark; empty: none.
};

/// An object store's address. Immutable; any thread.
class S3Endpoint {
 public:
  /// `endpoint` is `http://HOST[:PORT]` or `https://HOST[:PORT]`; empty: Amazon's of `region`. Errors:
  /// kInvalidParameter naming `s3_endpoint` or `s3_region`.
  static base::Result<S3Endpoint> make(std::string_view endpoint, std::string_view region, S3Addressing addressing);

  /// Where `name` is. Errors: kNotFound when no store can have it: a key of none or more than 1,024 bytes or with a
  /// NUL, or a bucket that cannot stand where it must.
  base::Result<S3Target> target_of(const ObjectName& name) const;

  /// Where a page of the keys of `prefix.bucket` is that begin with `prefix.key`, from `continuation` on. Errors as
  /// above, but that the key may be empty.
  base::Result<S3Target> list_target_of(const ObjectName& prefix, const std::string& continuation) const;

 private:
  S3Endpoint() = default;
  bool puts_bucket_in_host(std::string_view bucket) const;
  base::Result<S3Target> target(const ObjectName& name, const std::string& query) const;

  std::string scheme_;     ///< With `://`.
  std::string authority_;  ///< Host and, where it is not the scheme's own, port.
  std::string host_;       ///< As in `HttpUrl`.
  S3Addressing addressing_ = S3Addressing::kAuto;
  bool is_amazon_ = false;
};

/// Whether `text` can be the name of a bucket: letters, digits, `-`, `.` and `_`, 1 to 255 of them, no label empty.
/// What Amazon asks beyond that, other stores do not.
bool is_bucket_name(std::string_view text);

/// Whether `text` can be the name of a region: letters, digits and `-`, 1 to 64 of them.
bool is_region_name(std::string_view text);

}  // namespace optimux::source
