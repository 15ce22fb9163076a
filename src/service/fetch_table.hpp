#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// One fetch per source at a time: who wants a source that is on its way waits for the same bytes. Requests that came
/// through other servers of this product wait only with those that came the same way: if servers ask each other in a
/// circle, each would else wait for the other's answer to somebody else, and none would see that the circle is closed.
/// A fetch is cancelled when the last of those who wait has left. It has no deadline but the source's own time limits:
/// who waits watches its own and leaves.
///
/// Thread-safe; nothing blocks for longer than a short mutex. No callback runs under it. Must be owned by a shared_ptr:
/// a source may report long after everybody else has gone.
class FetchTable : public std::enable_shared_from_this<FetchTable> {
 public:
  /// Called once, from the source's thread with no lock held, unless its ticket was given up before.
  using Callback = std::function<void(const base::Result<source::FetchedSource>&)>;

  class Ticket;

  struct Figures {
    std::uint64_t started = 0;  ///< Fetches since the start.
    std::uint64_t joined = 0;   ///< Fetches that were saved.
  };

  /// `source` must outlive the table's last call to it, that is the last `join`.
  explicit FetchTable(source::Source& source) : source_(source) {}

  /// Waits for `locator` with those who wait for it already and came with the same `via` (as in `source::hops_of`), or
  /// starts its fetch. Dropping the ticket is leaving. A callback that is being called at that moment may still be
  /// running.
  [[nodiscard]] Ticket join(const source::SourceLocator& locator, const std::string& via, Callback callback)
      OPTIMUX_EXCLUDES(mutex_);

  /// From now on nobody joins a fetch under way of the source with this canonical text, of any source for an empty
  /// text: what it brings may be out of date. Those who wait for it already get it.
  void forget(const std::string& source) OPTIMUX_EXCLUDES(mutex_);

  Figures figures() const OPTIMUX_EXCLUDES(mutex_);

 private:
  struct Fetch {
    Fetch(std::string place, std::string place_and_way) : source(std::move(place)), key(std::move(place_and_way)) {}
    const std::string source;
    const std::string key;
    std::stop_source stop;
    std::map<std::uint64_t, Callback> waiting;  ///< Guarded by the table's mutex.
  };
  using SharedFetch = std::shared_ptr<Fetch>;

  void start(const SharedFetch& fetch, const source::SourceLocator& locator, const std::string& via);
  void deliver(Fetch& fetch, const base::Result<source::FetchedSource>& result) OPTIMUX_EXCLUDES(mutex_);
  void leave(Fetch& fetch, std::uint64_t ticket) OPTIMUX_EXCLUDES(mutex_);
  void forget(const Fetch& fetch) OPTIMUX_REQUIRES(mutex_);

  source::Source& source_;
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
