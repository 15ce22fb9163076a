#include "service/flight_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "service/way_key.hpp"

namespace optimux::service {
namespace {

using State = base::SharedBody::State;

base::Deadline later(base::Deadline left, base::Deadline right) {
  return left.time() < right.time() ? right : left;
}

OpenedRendition open(const std::shared_ptr<Rendition>& rendition, CacheOutcome outcome) {
  return {rendition, rendition->body()->attach(), outcome};
}

bool keeps_going(const std::shared_ptr<Rendition>& output) {
  return output->body()->reader_count() > 0 || output->body()->state() == State::kComplete;
}

}  // namespace

FlightTable::Boarding FlightTable::board(std::span<const std::string> keys, const std::string& via,
                                         base::Deadline deadline, const std::shared_ptr<Flight>& flight,
                                         MemoryCache& cache, std::size_t source_size) {
  Boarding boarding;
  base::MutexLock lock(mutex_);
  for (const std::string& key : keys) {
    boarding.opened.push_back(board_one(key, via, deadline, flight, cache, source_size));
    if (boarding.opened.back().outcome == CacheOutcome::kMiss) boarding.missing.push_back(boarding.opened.size() - 1);
  }
  return boarding;
}

OpenedRendition FlightTable::board_one(const std::string& key, const std::string& via, base::Deadline deadline,
                                       const std::shared_ptr<Flight>& flight, MemoryCache& cache,
                                       std::size_t source_size) {
  if (const Entry* entry = find_alive(key, via)) return join(*entry, deadline);
  // Only now: a flight enters the cache before it closes, so what is in neither place has to be made.
  if (const auto cached = cache.find(key)) return open(cached, CacheOutcome::kHit);
  return enter(key, via, deadline, flight, source_size);
}

FlightTable::Entry* FlightTable::find_alive(const std::string& key, const std::string& via) {
  const auto found = by_key_.find(way_key(key, via));
  if (found == by_key_.end()) return nullptr;
  // A body fails a moment before its flight closes. Who comes in between is not to inherit the failure.
  return found->second.rendition->body()->state() == State::kFailed ? nullptr : &found->second;
}

OpenedRendition FlightTable::join(const Entry& entry, base::Deadline deadline) {
  OpenFlight& joined = open_.at(entry.flight);
  joined.deadline = later(joined.deadline, deadline);
  const bool is_finished = entry.rendition->body()->state() == State::kComplete;
  return open(entry.rendition, is_finished ? CacheOutcome::kHit : CacheOutcome::kJoined);
}

OpenedRendition FlightTable::enter(const std::string& key, const std::string& via, base::Deadline deadline,
                                   const std::shared_ptr<Flight>& flight, std::size_t source_size) {
  const auto rendition = std::make_shared<Rendition>(key, source_size);
  rendition->body()->on_abandoned([weak = std::weak_ptr<Flight>(flight)] {
    if (const auto abandoned = weak.lock()) abandoned->output_abandoned();
  });
  OpenFlight& own = open_[flight.get()];
  own.flight = flight;
  own.via = via;
  own.deadline = deadline;
  own.outputs.push_back(rendition);
  by_key_.insert_or_assign(way_key(key, via), Entry{rendition, flight.get()});
  return open(rendition, CacheOutcome::kMiss);
}

bool FlightTable::is_open(const std::string& key, const std::string& via) {
  base::MutexLock lock(mutex_);
  return find_alive(key, via) != nullptr;
}

void FlightTable::revoke_if(const std::function<bool(const Rendition& rendition)>& predicate) {
  base::MutexLock lock(mutex_);
  for (auto entry = by_key_.begin(); entry != by_key_.end();) {
    const auto next = std::next(entry);
    if (predicate(*entry->second.rendition)) {
      entry->second.rendition->revoke();
      by_key_.erase(entry);  // Its flight is open still, and holds it.
    }
    entry = next;
  }
}

FlightTable::OpenFlight FlightTable::remove(OpenFlights::iterator flight) {
  for (const auto& output : flight->second.outputs) {
    const auto entry = by_key_.find(way_key(output->key(), flight->second.via));
    if (entry != by_key_.end() && entry->second.flight == flight->first) by_key_.erase(entry);
  }
  OpenFlight removed = std::move(flight->second);
  open_.erase(flight);
  return removed;
}

void FlightTable::close(const Flight& flight) {
  OpenFlight removed;  // what it holds is let go of after the lock
  base::MutexLock lock(mutex_);
  if (const auto found = open_.find(&flight); found != open_.end()) removed = remove(found);
}

bool FlightTable::close_if_abandoned(const Flight& flight) {
  OpenFlight removed;
  base::MutexLock lock(mutex_);
  const auto found = open_.find(&flight);
  if (found == open_.end()) return false;
  const auto& outputs = found->second.outputs;
  if (std::any_of(outputs.begin(), outputs.end(), keeps_going)) return false;
  removed = remove(found);
  return true;
}

bool FlightTable::close_if_expired(const Flight& flight, base::Deadline::Clock::time_point now) {
  OpenFlight removed;
  base::MutexLock lock(mutex_);
  const auto found = open_.find(&flight);
  if (found == open_.end() || !found->second.deadline.has_passed(now)) return false;
  removed = remove(found);
  return true;
}

bool FlightTable::close_unless_prolonged(const Flight& flight, base::Deadline judged) {
  OpenFlight removed;
  base::MutexLock lock(mutex_);
  const auto found = open_.find(&flight);
  if (found == open_.end()) return true;
  if (found->second.deadline.time() > judged.time()) return false;
  removed = remove(found);
  return true;
}

base::Deadline FlightTable::deadline_of(const Flight& flight) const {
  base::MutexLock lock(mutex_);
  const auto found = open_.find(&flight);
  return found == open_.end() ? base::Deadline::never() : found->second.deadline;
}

std::vector<std::shared_ptr<Flight>> FlightTable::open_flights() const {
  std::vector<std::shared_ptr<Flight>> flights;
  base::MutexLock lock(mutex_);
  flights.reserve(open_.size());
  for (const auto& [_, open] : open_) flights.push_back(open.flight);
  return flights;
}

std::size_t FlightTable::size() const {
  base::MutexLock lock(mutex_);
  return by_key_.size();
}

}  // namespace optimux::service
