#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/byte_buffer.hpp"
#include "base/deadline.hpp"
#include "base/result.hpp"
#include "source/content_range.hpp"
#include "source/source.hpp"

namespace optimux::source {

/// Where an object is: the bytes of its key are taken exactly as they are, none of them is special.
struct ObjectName {
  std::string bucket;
  std::string key;
  bool operator==(const ObjectName&) const = default;
};

/// What belongs to an object beside its bytes. Names of metadata are in lower case; names and values hold printable
/// ASCII alone, without blanks at their ends, and S3 takes 2 KiB of them all.
struct ObjectFacts {
  SourceFacts source;        ///< Validators and `Cache-Control`.
  std::string content_type;  ///< Empty: none was said.
  std::map<std::string, std::string> metadata;
};

/// What is asked of an object store.
struct ObjectRequest {
  enum class Action { kGet, kHead, kPut, kDelete, kList };

  Action action = Action::kGet;
  ObjectName name;               ///< Of kList: the key is what all keys begin with that are listed; it may be empty.
  base::Deadline deadline = {};  ///< In addition to the store's own time limits.
  std::stop_token stop = {};     ///< Nobody wants the result any more: it ends with kCancelled, at once.

  // Of kGet.
  std::optional<ByteRange> range = {};
  std::string required_etag = {};    ///< Of the state that the object must be in, or it is kOriginFailed; empty: any.
  SourceValidators validators = {};  ///< Of the state that the asker has: an object in it is `not_modified`.

  IsOther is_other = {};  ///< Of the first bytes of an object that is read from its beginning, as in `FetchRequest`.

  // Of kPut.
  std::shared_ptr<const base::ByteBuffer> body = {};  ///< Null: an empty object.
  std::string content_type = {};
  std::string cache_control = {};
  std::map<std::string, std::string> metadata = {};  ///< As in `ObjectFacts`.
  std::map<std::string, std::string> tags = {};      ///< Any bytes; S3 takes ten, with keys of 128 characters.

  // Of kList.
  std::string continuation = {};  ///< As the answer before gave it; empty: from the beginning.
};

/// What a store answered.
struct ObjectAnswer {
  std::shared_ptr<const base::ByteBuffer> bytes;  ///< Of a kGet that was not `not_modified`; else null.
  ObjectFacts facts;                              ///< Of kGet and kHead.
  std::uint64_t size = 0;                         ///< Of the whole object, for kGet and kHead.
  bool not_modified = false;                      ///< The object is in the state that was asked about.
  std::vector<std::string> keys = {};             ///< Of kList, at most 1,000.
  std::string continuation = {};                  ///< Where a list goes on that is longer; else empty.
};

/// Called exactly once for each request, from the event-loop thread (never from inside `run`), with no lock held.
using ObjectCallback = std::function<void(base::Result<ObjectAnswer>)>;

/// What has happened, for metrics: counts since the start, and a level of now.
struct ObjectStoreFigures {
  std::uint64_t gets = 0;  ///< Requests of each kind; a repeated one counts once.
  std::uint64_t heads = 0;
  std::uint64_t puts = 0;
  std::uint64_t deletes = 0;
  std::uint64_t lists = 0;
  std::uint64_t failures = 0;       ///< Requests that ended with an error, but for kNotFound, kCancelled, kVideoSource.
  std::uint64_t retries = 0;        ///< Attempts beyond the first one of a request.
  std::uint64_t breaker_opens = 0;  ///< Times that a host was given up for a while.
  std::uint64_t breaker_refusals = 0;  ///< Attempts that were not made because a host had been given up.
  std::uint64_t open_breakers = 0;     ///< Hosts that are given up now.
};

/// Objects by bucket and key. Thread-safe; nothing blocks.
class ObjectStore {
 public:
  ObjectStore() = default;
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;
  virtual ~ObjectStore() = default;

  /// Starts a request and returns at once. Any thread. Errors reported: kNotFound (no such object or bucket),
  /// kForbiddenSource (the store refuses), kRangeNotSatisfiable, kSourceTooLarge, kVideoSource, kOriginFailed
  /// (unreachable, an error of its own, credentials that cannot be had, or given up for a while), kOriginTimeout,
  /// kDeadlineExceeded, kCancelled, kOverloaded, kShuttingDown, kInternal. A kPut that has failed may have been done
  /// all the same; a kDelete of an object that is not there succeeds.
  virtual void run(ObjectRequest request, ObjectCallback callback) = 0;

  /// Any thread.
  virtual ObjectStoreFigures figures() const = 0;
};

}  // namespace optimux::source
