#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "service/source_cache.hpp"
#include "service/source_disk.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// Where jobs get their sources from. What is kept of a source, in memory or on disk, and fresh is given at once; what
/// is kept and stale is given once its origin has confirmed it. For the rest there is one fetch per source at a time:
/// who wants a source that is on its way waits for the same bytes. Local files are never kept: the kernel does that
/// (`Source::has_local_files`).
///
/// Requests that came through other servers of this product wait only with those that came the same way: if servers
/// ask each other in a circle, each would else wait for the other's answer to somebody else, and none would see that
/// the circle is closed. A fetch is cancelled when the last of those who wait has left. It has no deadline but the
/// source's own time limits: who waits watches its own and leaves.
///
/// Thread-safe; nothing blocks for longer than a short mutex. No callback runs under it. Must be owned by a shared_ptr:
/// a source may report long after everybody else has gone.
class FetchTable : public std::enable_shared_from_this<FetchTable> {
 public:
  /// Called once, from inside `join`, from the source's thread or from one that reads from the disk, with no lock held,
  /// unless its ticket was given up before.
  using Callback = std::function<void(const base::Result<source::FetchedSource>&)>;

  /// Calls `task` once, from any thread but not from inside, when a disk that has not answered by then is given up.
  using Patience = std::function<void(std::function<void()> task)>;

  /// As `source::IsOther`, but one that can be told from another one: a plain function.
  using IsOther = bool (*)(std::span<const std::byte> first_bytes);

  class Ticket;

  struct Figures {
    std::uint64_t started = 0;    ///< Fetches since the start.
    std::uint64_t joined = 0;     ///< Fetches that were saved because one was on its way.
    std::uint64_t hits = 0;       ///< Fetches that were saved because the source was kept and fresh.
    std::uint64_t disk_hits = 0;  ///< Of these: those that were found on disk.
    std::uint64_t confirmed = 0;  ///< Fetches that brought no bytes: the origin confirmed what was kept.
    std::uint64_t whole = 0;      ///< Fetches that brought a source.
  };

  /// `source` must outlive the table's last call to it: the last `join`, or, with a disk, `close`. `cache` is not null;
  /// `disk` is where nothing is to be kept on disk. `disk_patience` may be empty: then the disk has all the time it
  /// takes.
  explicit FetchTable(source::Source& source,
                      std::shared_ptr<SourceCache> cache = std::make_shared<SourceCache>(0, std::chrono::seconds(0)),
                      std::shared_ptr<SourceDisk> disk = nullptr, Patience disk_patience = {})
      : source_(source),
        has_local_files_(source.has_local_files()),
        cache_(std::move(cache)),
        disk_(std::move(disk)),
        disk_patience_(std::move(disk_patience)) {}

  /// Gets `locator`: from what is kept, or with those who wait for it already and came with the same `via` (as in
  /// `source::hops_of`), or by a fetch. With `known`, the validators of the state that the caller has, the answer may
  /// be `not_modified`, without bytes; without any it never is.
  ///
  /// With `is_other` a source of which that is true fails with kVideoSource, kept or not. Who asks with one waits only
  /// with those who ask with the same function: others need the bytes of such a source, or might not get past its size.
  ///
  /// Dropping the ticket is leaving. A callback that is being called at that moment may still be running.
  [[nodiscard]] Ticket join(const source::SourceLocator& locator, const std::string& via, Callback callback,
                            const source::SourceValidators& known = {}, IsOther is_other = nullptr)
      OPTIMUX_EXCLUDES(mutex_);

  /// Forgets what is kept of the source with the canonical text `place`, of all sources for an empty one. Whoever asks
  /// from now on gets what the origin has from now on; those who wait already get what they wait for, and it is not
  /// kept. `erased` is called once, as in `SourceDisk::erase`.
  void forget(
      const std::string& place, SourceDisk::Erased erased = [](const base::Status&) {}) OPTIMUX_EXCLUDES(mutex_);

  /// From now on the source is not asked for anything: what would be fetched fails with kShuttingDown.
  void close() OPTIMUX_EXCLUDES(source_mutex_);

  Figures figures() const OPTIMUX_EXCLUDES(mutex_);

 private:
  using Clock = SourceCache::Clock;

  struct Fetch {
    source::SourceLocator locator;
    std::string via;
    IsOther is_other = nullptr;                 ///< Of all those who wait.
    std::string whole_key;                      ///< Of a fetch for the same askers that brings the source in any case.
    std::string key;                            ///< Its own: another one if it may bring a mere "not modified".
    source::SourceValidators known;             ///< What those who wait have, all of them; empty: they need the bytes.
    std::optional<source::FetchedSource> kept;  ///< What they are given if the origin confirms it.
    Clock::time_point asked;                    ///< Set when it is asked for.
    std::stop_source stop;
    std::map<std::uint64_t, Callback> waiting;  ///< Guarded by the table's mutex.
    bool is_forgotten = false;                  ///< Guarded by the table's mutex: the result is not to be kept.
  };
  using SharedFetch = std::shared_ptr<Fetch>;

  bool is_ever_kept(const source::SourceLocator& locator) const;
  std::optional<SourceCache::Kept> find_kept(const source::SourceLocator& locator);
  Ticket board(const SharedFetch& own, Callback callback) OPTIMUX_EXCLUDES(mutex_);
  SharedFetch find_under_way(const Fetch& wanted) const OPTIMUX_REQUIRES(mutex_);
  void begin(const SharedFetch& fetch);
  void take_from_disk(const SharedFetch& fetch, std::optional<SourceDisk::Kept> kept) OPTIMUX_EXCLUDES(mutex_);
  void start(const SharedFetch& fetch) OPTIMUX_EXCLUDES(source_mutex_);
  void take(Fetch& fetch, const base::Result<source::FetchedSource>& result) OPTIMUX_EXCLUDES(mutex_);
  base::Result<source::FetchedSource> settle(const Fetch& fetch, const base::Result<source::FetchedSource>& result)
      OPTIMUX_EXCLUDES(mutex_);
  void forget_above_disk(const std::string& place) OPTIMUX_EXCLUDES(mutex_);
  void drop(const std::string& place);
  void keep(const Fetch& fetch, const source::FetchedSource& source) OPTIMUX_EXCLUDES(mutex_);
  bool is_forgotten(const Fetch& fetch) const OPTIMUX_EXCLUDES(mutex_);
  void deliver(Fetch& fetch, const base::Result<source::FetchedSource>& result) OPTIMUX_EXCLUDES(mutex_);
  void leave(Fetch& fetch, std::uint64_t ticket) OPTIMUX_EXCLUDES(mutex_);
  void remove(const Fetch& fetch) OPTIMUX_REQUIRES(mutex_);
  void count(std::uint64_t Figures::*figure) OPTIMUX_EXCLUDES(mutex_);

  base::Mutex source_mutex_;  ///< Held while the source is called, so that `close` can tell that nobody will.
  source::Source& source_;
  const bool has_local_files_;
  bool is_closed_ OPTIMUX_GUARDED_BY(source_mutex_) = false;
  const std::shared_ptr<SourceCache> cache_;
  const std::shared_ptr<SourceDisk> disk_;  ///< Null: there is none.
  const Patience disk_patience_;
  mutable base::Mutex mutex_;
  std::unordered_map<std::string, SharedFetch> by_key_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t next_ticket_ OPTIMUX_GUARDED_BY(mutex_) = 1;
  Figures figures_ OPTIMUX_GUARDED_BY(mutex_);
};

/// A place among those who wait for a source. Movable; not thread-safe itself. An empty one waits for nothing.
class FetchTable::Ticket {
 public:
  Ticket() = default;
  Ticket(Ticket&& other) noexcept = default;
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket() { leave(); }

 private:
  friend class FetchTable;
  Ticket(std::weak_ptr<FetchTable> table, SharedFetch fetch, std::uint64_t id)
      : table_(std::move(table)), fetch_(std::move(fetch)), id_(id) {}
  void leave();

  std::weak_ptr<FetchTable> table_;
  SharedFetch fetch_;
  std::uint64_t id_ = 0;
};

}  // namespace optimux::service
