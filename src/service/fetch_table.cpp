#include "service/fetch_table.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "service/way_key.hpp"

namespace optimux::service {

FetchTable::Ticket& FetchTable::Ticket::operator=(Ticket&& other) noexcept {
  if (this != &other) {
    leave();
    table_ = std::move(other.table_);
    fetch_ = std::move(other.fetch_);
    id_ = other.id_;
  }
  return *this;
}

void FetchTable::Ticket::leave() {
  const auto fetch = std::exchange(fetch_, nullptr);
  if (!fetch) return;
  if (const auto table = table_.lock()) table->leave(*fetch, id_);
}

FetchTable::Ticket FetchTable::join(const source::SourceLocator& locator, const std::string& via, Callback callback) {
  const std::string source = locator.canonical();
  const std::string key = way_key(source, via);
  SharedFetch fetch;
  std::uint64_t id = 0;
  bool is_new = false;
  {
    base::MutexLock lock(mutex_);
    SharedFetch& entry = by_key_[key];
    is_new = entry == nullptr;
    if (is_new) entry = std::make_shared<Fetch>(source, key);
    ++(is_new ? figures_.started : figures_.joined);
    fetch = entry;
    id = next_ticket_++;
    fetch->waiting.emplace(id, std::move(callback));
  }
  Ticket ticket(weak_from_this(), fetch, id);
  if (is_new) start(fetch, locator, via);
  return ticket;
}

void FetchTable::start(const SharedFetch& fetch, const source::SourceLocator& locator, const std::string& via) {
  source_.fetch({locator, base::Deadline::never(), fetch->stop.get_token(), via},
                [weak = weak_from_this(), fetch](const base::Result<source::FetchedSource>& result) {
                  if (const auto table = weak.lock()) table->deliver(*fetch, result);
                });
}

void FetchTable::deliver(Fetch& fetch, const base::Result<source::FetchedSource>& result) {
  std::map<std::uint64_t, Callback> waiting;
  {
    base::MutexLock lock(mutex_);
    forget(fetch);
    waiting.swap(fetch.waiting);
  }
  for (const auto& [_, callback] : waiting) callback(result);
}

void FetchTable::leave(Fetch& fetch, std::uint64_t ticket) {
  Callback removed;  // may own its caller, so it is destroyed after the lock
  {
    base::MutexLock lock(mutex_);
    const auto found = fetch.waiting.find(ticket);
    if (found == fetch.waiting.end()) return;
    removed = std::move(found->second);
    fetch.waiting.erase(found);
    if (!fetch.waiting.empty()) return;
    forget(fetch);
  }
  fetch.stop.request_stop();
}

void FetchTable::forget(const Fetch& fetch) {
  const auto found = by_key_.find(fetch.key);
  if (found != by_key_.end() && found->second.get() == &fetch) by_key_.erase(found);
}

void FetchTable::forget(const std::string& source) {
  std::vector<SharedFetch> retired;  // let go of after the lock
  base::MutexLock lock(mutex_);
  for (auto entry = by_key_.begin(); entry != by_key_.end();) {
    const auto next = std::next(entry);
    if (source.empty() || entry->second->source == source) {
      retired.push_back(std::move(entry->second));
      by_key_.erase(entry);
    }
    entry = next;
  }
}

FetchTable::Figures FetchTable::figures() const {
  base::MutexLock lock(mutex_);
  return figures_;
}

}  // namespace optimux::service
