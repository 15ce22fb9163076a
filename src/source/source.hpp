#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/byte_buffer.hpp"
#include "base/deadline.hpp"
#include "base/result.hpp"
#include "source/origin_freshness.hpp"

namespace optimux::source {

/// Where a source is, in canonical form: two ways of writing the same place give the same locator.
struct SourceLocator {
  enum class Kind {
    kFile,    ///< `value` is a key of the default store, a folder or part of a bucket, after one percent-decoding.
    kHttp,    ///< `value` is an absolute http or https URL, scheme and host in lower case, default port and fragment
              ///< gone.
    kObject,  ///< `value` is `BUCKET/KEY`, the bytes of the key as they are.
  };
  Kind kind = Kind::kFile;
  std::string value;
  bool operator==(const SourceLocator&) const = default;

  /// A text that names the source uniquely, for cache keys: `file:`, `http:` or `s3:` and the value.
  std::string canonical() const;
};

/// Reads the `image_url` parameter: `http://…`, `https://…`, `file:///key` or `s3://bucket/key`, whose key is taken as
/// it stands (see `parse_object_url`). Errors: kInvalidUrl when it cannot be parsed (user names and passwords in URLs
/// are refused too), kForbiddenSource for any other scheme.
base::Result<SourceLocator> parse_source_url(std::string_view url);

/// A key of the default store, already percent-decoded once; any bytes but NUL. Errors: kInvalidUrl (empty, NUL).
base::Result<SourceLocator> make_file_locator(std::string_view key);

/// What tells one state of a source from another, in its origin's words: asked with them, an origin says whether the
/// source is still in that state (RFC 9110, section 13).
struct SourceValidators {
  std::string etag = {};  ///< Empty if none.
  std::optional<std::chrono::system_clock::time_point> last_modified = {};
  std::string place = {};  ///< The URL whose answer they belong to, where redirects led to one; else empty.

  /// Whether they tell nothing: the origin cannot be asked with them.
  bool empty() const { return etag.empty() && !last_modified; }
  bool operator==(const SourceValidators&) const = default;
};

/// What the origin said about the bytes. Times are wall-clock times as the origin reports them.
struct SourceFacts {
  std::optional<std::chrono::system_clock::time_point> last_modified;
  std::string etag;                ///< The origin's validator, empty if none.
  std::string cache_control;       ///< The origin's header value, empty if none.
  std::string place = {};          ///< As in `SourceValidators`.
  OriginFreshness freshness = {};  ///< How long the answer may be used, counted from its arrival.

  SourceValidators validators() const { return {etag, last_modified, place}; }
  /// These facts after the origin has confirmed, with those of `confirmation`, that the source is unchanged: what the
  /// confirmation leaves out stays as it was (RFC 9111, section 4.3.4).
  SourceFacts confirmed_by(const SourceFacts& confirmation) const;
};

/// The whole source, or the word that it is still what the asker has.
struct FetchedSource {
  std::shared_ptr<const base::ByteBuffer> bytes;  ///< Null if it is not modified.
  SourceFacts facts;
  bool not_modified = false;  ///< It is in the state of the validators that it was asked for with.
};

/// Whether the first bytes of a source, at least 64 of them or all there are, begin something else than what is asked
/// for. Pure; called from any thread.
using IsOther = std::function<bool(std::span<const std::byte> first_bytes)>;

struct FetchRequest {
  SourceLocator locator;
  base::Deadline deadline;  ///< In addition to the source's own time limits.
  std::stop_token stop;     ///< Nobody wants the bytes any more: the fetch ends with kCancelled, at once.
  std::string via = {};     ///< `Via` of the request that wants it, as in `hops_of`; origins are told, files are not.
  /// Those of the state that the asker has: if it is still the source's, the answer may be `not_modified`, without
  /// bytes. Without any the answer always has bytes.
  SourceValidators validators = {};
  /// Asked once, as soon as there are bytes to ask about, and before the source is refused for its size: true ends the
  /// fetch with kVideoSource, so that no more is read of a video than its beginning. Not asked of a source that is
  /// `not_modified`. Empty: every source is read.
  IsOther is_other = {};
};

/// Called exactly once for each fetch, from the event-loop thread (never from inside `fetch`), with no lock held.
using FetchCallback = std::function<void(base::Result<FetchedSource>)>;

/// Where source bytes come from. One implementation per backend, and a router that picks by the locator's kind.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Starts fetching and returns at once. May be called from any thread. Errors reported: kForbiddenSource,
  /// kNotFound, kSourceTooLarge, kVideoSource (as `is_other` says), kOriginFailed, kOriginTimeout, kDeadlineExceeded,
  /// kCancelled, kOverloaded (no thread free for reading, or no memory for what comes in), kShuttingDown (the source
  /// goes while the fetch is under way), kInternal.
  virtual void fetch(FetchRequest request, FetchCallback callback) = 0;

  /// Whether keys of the default store (kFile) are files of this machine: the kernel keeps them and knows at once when
  /// one has changed, so nobody else needs to. Else they are like what any origin has. Constant.
  virtual bool has_local_files() const { return true; }
};

}  // namespace optimux::source
