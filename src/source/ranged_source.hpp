#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>

#include "base/byte_buffer.hpp"
#include "base/deadline.hpp"
#include "base/result.hpp"
#include "source/source.hpp"

namespace optimux::source {

/// A source that was opened and is read in parts: all of them belong to the state that it was in then. Thread-safe, and
/// may go in any thread; reads under way are ended by their own stop and deadline, not by that.
class RangedFile {
 public:
  /// Bytes of its beginning that every opened file holds.
  static constexpr std::size_t kHeadBytes = 64 << 10;

  /// Exactly the bytes asked for; or, as errors, kOriginFailed (also: the source has changed since it was opened),
  /// kOriginTimeout, kNotFound, kForbiddenSource, kDeadlineExceeded, kCancelled, kOverloaded, kShuttingDown, kInternal.
  using ReadResult = base::Result<std::shared_ptr<const base::ByteBuffer>>;
  /// Called exactly once for each read, with no lock held: from the event-loop thread, and never from inside `read`,
  /// but where the source that has opened the file has gone; it is then called before `read` returns, with
  /// kShuttingDown.
  using ReadCallback = std::function<void(ReadResult)>;

  RangedFile() = default;
  RangedFile(const RangedFile&) = delete;
  RangedFile& operator=(const RangedFile&) = delete;
  virtual ~RangedFile() = default;

  /// Bytes of the whole source.
  virtual std::uint64_t size() const = 0;
  /// What its origin said when it was opened.
  virtual const SourceFacts& facts() const = 0;
  /// The first `kHeadBytes` of it, or all if there are fewer. Lives as long as the file.
  virtual std::span<const std::byte> head() const = 0;

  /// A descriptor of a regular file that holds the source from offset 0 on, open for reading, close-on-exec, at an
  /// offset that is nobody's; or -1 if there is none. The file's: who gives it away duplicates it.
  virtual int descriptor() const { return -1; }

  /// Reads `count` bytes (at least 1) from `offset` on, all of which must lie within `size()`. Returns at once. The
  /// loop's thread at any time; any other one for as long as the source that has opened the file lives. The backend's
  /// own time limits hold for each read, and `deadline` in addition.
  virtual void read(std::uint64_t offset, std::size_t count, base::Deadline deadline, std::stop_token stop,
                    ReadCallback callback) = 0;

  /// Whether what was read through `descriptor()` is still the state that was opened: kOriginFailed if the file was
  /// written meanwhile. Success where there is no descriptor: there each read looks for itself. May block for as long
  /// as a disk does.
  virtual base::Status verify() const { return {}; }
};

/// Called exactly once for each `open`, from the event-loop thread (never from inside `open`), with no lock held.
using OpenCallback = std::function<void(base::Result<std::shared_ptr<RangedFile>>)>;

/// Where large sources are opened to be read in parts. One implementation per backend beside its `Source`, and a router
/// that picks by the locator's kind.
class RangedSource {
 public:
  RangedSource() = default;
  RangedSource(const RangedSource&) = delete;
  RangedSource& operator=(const RangedSource&) = delete;
  virtual ~RangedSource() = default;

  /// Opens a source and returns at once. May be called from any thread. `validators` and `is_other` of the request have
  /// no meaning here: `facts()` and `head()` tell as much. A source that its origin gives as a whole only is fetched
  /// as a whole, if `max_source_bytes` allows it, and held in memory.
  /// Errors reported: those of `Source::fetch` but kVideoSource; kSourceTooLarge names the limit that it exceeds.
  virtual void open(FetchRequest request, OpenCallback callback) = 0;
};

}  // namespace optimux::source
