#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/byte_buffer.hpp"
#include "base/deadline.hpp"
#include "base/result.hpp"

namespace optimux::source {

/// Where a source is, in canonical form: two ways of writing the same place give the same locator.
struct SourceLocator {
  enum class Kind {
    kFile,  ///< `value` is a key: bytes below the configured root, after one percent-decoding.
    kHttp,  ///< `value` is an absolute http or https URL, scheme and host in lower case, default port and fragment
            ///< gone.
  };
  Kind kind = Kind::kFile;
  std::string value;
  bool operator==(const SourceLocator&) const = default;

  /// A text that names the source uniquely, for cache keys: `file:` or `http:` and the value.
  std::string canonical() const;
};

/// Reads the `image_url` parameter: `http://…`, `https://…` or `file:///key`. Errors: kInvalidUrl when it cannot be
/// parsed (user names and passwords in URLs are refused too), kForbiddenSource for any other scheme.
base::Result<SourceLocator> parse_source_url(std::string_view url);

/// A key of the default store, already percent-decoded once; any bytes but NUL. Errors: kInvalidUrl (empty, NUL).
base::Result<SourceLocator> make_file_locator(std::string_view key);

/// What the origin said about the bytes. Times are wall-clock times as the origin reports them.
struct SourceFacts {
  std::optional<std::chrono::system_clock::time_point> last_modified;
  std::string etag;           ///< The origin's validator, empty if none.
  std::string cache_control;  ///< The origin's header value, empty if none.
};

/// The whole source.
struct FetchedSource {
  std::shared_ptr<const base::ByteBuffer> bytes;
  SourceFacts facts;
};

struct FetchRequest {
  SourceLocator locator;
  base::Deadline deadline;  ///< In addition to the source's own time limits.
  std::stop_token stop;     ///< Nobody wants the bytes any more: the fetch ends with kCancelled, at once.
  std::string via = {};     ///< `Via` of the request that wants it, as in `hops_of`; origins are told, files are not.
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
  /// kNotFound, kSourceTooLarge, kOriginFailed, kOriginTimeout, kDeadlineExceeded, kCancelled, kOverloaded (no thread
  /// free for reading, or no memory for what comes in), kShuttingDown (the source goes while the fetch is under way),
  /// kInternal.
  virtual void fetch(FetchRequest request, FetchCallback callback) = 0;
};

}  // namespace optimux::source
