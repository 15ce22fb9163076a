#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "service/memory_cache.hpp"
#include "service/rendition.hpp"

namespace optimux::service {

/// What makes one or more renditions, as the table of flights sees it.
class Flight {
 public:
  Flight() = default;
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;
  virtual ~Flight() = default;

  /// The last reader of one of its renditions has left before the end. Called from any thread with no lock held; others
  /// may have come since: `FlightTable::close_if_abandoned` decides.
  virtual void output_abandoned() = 0;

  /// Ends it: what it has not finished fails with `error`. Called from any thread with no lock held.
  virtual void end(const base::Error& error) = 0;
};

/// Single flight: which renditions are in the making, by key, and by whom. As in the table of fetches, who came through
/// other servers of this product joins only what was begun for somebody who came the same way. It is also where a
/// flight's deadline lives, the latest of all who read from it, because joining and expiring must not cross.
///
/// Invariants: a key has at most one open flight for each way; a flight is open from `board` until one of the `close`
/// functions; nobody joins a flight that is not open. Readers attach only under the table's mutex, so that "nobody
/// reads" is a fact there. Thread-safe; nothing blocks for longer than a short mutex. Lock order: this mutex, then that
/// of the memory cache or of a body.
class FlightTable {
 public:
  /// The renditions of a request, and which of them are for its own flight to make.
  struct Boarding {
    std::vector<OpenedRendition> opened;  ///< One for each key, in their order.
    std::vector<std::size_t> missing;     ///< Indexes of those that nobody has made or is making.
  };

  /// Opens the rendition of every key: from the cache, or from the flight that makes it, whose deadline then
  /// is no earlier than `deadline`. What is left is entered as `flight`'s. `via` is that of the request, as in
  /// `source::hops_of`; `source_size` that of all keys, as in `Rendition`.
  Boarding board(std::span<const std::string> keys, const std::string& via, base::Deadline deadline,
                 const std::shared_ptr<Flight>& flight, MemoryCache& cache, std::size_t source_size = 0)
      OPTIMUX_EXCLUDES(mutex_);

  /// Whether the rendition of `key` is in the making for those who came with `via`.
  bool is_open(const std::string& key, const std::string& via) OPTIMUX_EXCLUDES(mutex_);

  /// Revokes all renditions in the making that `predicate` is true of. Those who read them go on; nobody new joins.
  void revoke_if(const std::function<bool(const Rendition& rendition)>& predicate) OPTIMUX_EXCLUDES(mutex_);

  /// Nobody joins `flight` any more. Closing twice does nothing.
  void close(const Flight& flight) OPTIMUX_EXCLUDES(mutex_);

  /// Closes an open `flight` if nobody reads from it and it has completed nothing, and says whether it did. A
  /// flight that has completed a rendition is past its decode; what is left is finished for the cache.
  bool close_if_abandoned(const Flight& flight) OPTIMUX_EXCLUDES(mutex_);

  /// Closes an open `flight` if its deadline has passed at `now`, and says whether it did.
  bool close_if_expired(const Flight& flight, base::Deadline::Clock::time_point now) OPTIMUX_EXCLUDES(mutex_);

  /// Closes `flight` unless its deadline has moved beyond `judged`, and says whether it is closed. For refusals: one
  /// that was judged by an old deadline must not meet somebody who has just joined with more time.
  bool close_unless_prolonged(const Flight& flight, base::Deadline judged) OPTIMUX_EXCLUDES(mutex_);

  /// The latest deadline of those who have joined; never, if the flight is not open.
  base::Deadline deadline_of(const Flight& flight) const OPTIMUX_EXCLUDES(mutex_);

  /// All open flights, in no order.
  std::vector<std::shared_ptr<Flight>> open_flights() const OPTIMUX_EXCLUDES(mutex_);

  /// Renditions in the making.
  std::size_t size() const OPTIMUX_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::shared_ptr<Rendition> rendition;
    const Flight* flight = nullptr;
  };
  struct OpenFlight {
    std::shared_ptr<Flight> flight;
    std::vector<std::shared_ptr<Rendition>> outputs;
    std::string via;
    base::Deadline deadline;
  };
  using OpenFlights = std::unordered_map<const Flight*, OpenFlight>;

  OpenedRendition board_one(const std::string& key, const std::string& via, base::Deadline deadline,
                            const std::shared_ptr<Flight>& flight, MemoryCache& cache, std::size_t source_size)
      OPTIMUX_REQUIRES(mutex_);
  Entry* find_alive(const std::string& key, const std::string& via) OPTIMUX_REQUIRES(mutex_);
  OpenedRendition join(const Entry& entry, base::Deadline deadline) OPTIMUX_REQUIRES(mutex_);
  OpenedRendition enter(const std::string& key, const std::string& via, base::Deadline deadline,
                        const std::shared_ptr<Flight>& flight, std::size_t source_size) OPTIMUX_REQUIRES(mutex_);
  OpenFlight remove(OpenFlights::iterator flight) OPTIMUX_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::unordered_map<std::string, Entry> by_key_ OPTIMUX_GUARDED_BY(mutex_);
  OpenFlights open_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service
