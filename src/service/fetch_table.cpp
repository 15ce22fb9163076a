#include "service/fetch_table.hpp"

#include <atomic>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "service/way_key.hpp"
#include "source/source_error.hpp"

namespace optimux::service {
namespace {

using source::FetchedSource;
using source::SourceLocator;
using source::SourceValidators;
using FetchResult = base::Result<FetchedSource>;

/// Who knows a state already gets its name alone. Those without conditions must not join: they need the bytes.
std::string conditional_key(const std::string& key, const SourceValidators& known) {
  const auto modified = known.last_modified.value_or(std::chrono::system_clock::time_point()).time_since_epoch();
  return key + "\n\n" + known.etag + "\n" + std::to_string(modified.count()) + "\n" + known.place;
}

/// The part of a key that tells questions apart. No other key begins with a digit.
std::string key_of(FetchTable::IsOther is_other) {
  return is_other == nullptr ? std::string() : std::to_string(reinterpret_cast<std::uintptr_t>(is_other)) + "\n";
}

bool is_other_source(FetchTable::IsOther is_other, const FetchedSource& source) {
  return is_other != nullptr && source.bytes && is_other({source.bytes->data(), source.bytes->size()});
}

/// What is kept, unless it is not what is asked for.
FetchResult asked_of(FetchTable::IsOther is_other, const FetchedSource& kept) {
  if (!is_other_source(is_other, kept)) return kept;
  return base::fail(source::video_source("a source that is kept"));
}

FetchResult answer_of(FetchTable::IsOther is_other, const FetchedSource& kept, const SourceValidators& known) {
  if (known.empty() || kept.facts.validators() != known) return asked_of(is_other, kept);
  return FetchedSource{nullptr, kept.facts, true};
}

}  // namespace

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

/// The kernel keeps files already, and the disk knows at once when one has changed.
bool FetchTable::is_ever_kept(const SourceLocator& locator) const {
  return !has_local_files_ || locator.kind != SourceLocator::Kind::kFile;
}

std::optional<SourceCache::Kept> FetchTable::find_kept(const SourceLocator& locator) {
  if (!is_ever_kept(locator)) return std::nullopt;
  auto kept = cache_->find(locator.canonical(), Clock::now());
  const bool is_of_use = kept && (kept->is_fresh || !kept->source.facts.validators().empty());
  return is_of_use ? std::move(kept) : std::nullopt;
}

FetchTable::Ticket FetchTable::join(const SourceLocator& locator, const std::string& via, Callback callback,
                                    const SourceValidators& known, IsOther is_other) {
  auto kept = find_kept(locator);
  if (kept && kept->is_fresh) {
    count(&Figures::hits);
    callback(answer_of(is_other, kept->source, known));
    return {};
  }
  const auto own = std::make_shared<Fetch>();
  own->locator = locator;
  own->via = via;
  own->is_other = is_other;
  own->whole_key = own->key = key_of(is_other) + way_key(locator.canonical(), via);
  if (kept) {
    own->kept = std::move(kept->source);
  } else if (!known.empty()) {
    own->known = known;
    own->key = conditional_key(own->key, known);
  }
  return board(own, std::move(callback));
}

FetchTable::Ticket FetchTable::board(const SharedFetch& own, Callback callback) {
  SharedFetch fetch;
  std::uint64_t id = 0;
  {
    base::MutexLock lock(mutex_);
    fetch = find_under_way(*own);
    ++(fetch ? figures_.joined : figures_.started);
    if (!fetch) fetch = by_key_[own->key] = own;
    id = next_ticket_++;
    fetch->waiting.emplace(id, std::move(callback));
  }
  Ticket ticket(weak_from_this(), fetch, id);
  if (fetch == own) begin(own);
  return ticket;
}

/// Whoever could do with a name alone is content with bytes too.
FetchTable::SharedFetch FetchTable::find_under_way(const Fetch& wanted) const {
  auto found = by_key_.find(wanted.whole_key);
  if (found == by_key_.end()) found = by_key_.find(wanted.key);
  return found == by_key_.end() ? nullptr : found->second;
}

void FetchTable::begin(const SharedFetch& fetch) {
  if (!disk_ || fetch->kept || !is_ever_kept(fetch->locator)) return start(fetch);
  // Told once: what the disk has, or that it has taken too long.
  const auto is_told = std::make_shared<std::atomic<bool>>(false);
  const auto tell = [weak = weak_from_this(), fetch, is_told](std::optional<SourceDisk::Kept> kept) {
    if (is_told->exchange(true)) return;
    if (const auto table = weak.lock()) table->take_from_disk(fetch, std::move(kept));
  };
  disk_->find(fetch->locator.canonical(), tell);
  if (disk_patience_ && !*is_told) disk_patience_([tell] { tell(std::nullopt); });
}

void FetchTable::take_from_disk(const SharedFetch& fetch, std::optional<SourceDisk::Kept> kept) {
  if (fetch->stop.stop_requested()) return;
  if (!kept || is_forgotten(*fetch)) return start(fetch);
  const std::string place = fetch->locator.canonical();
  cache_->insert(place, kept->source, kept->asked);
  if (is_forgotten(*fetch)) cache_->erase(place);
  if (cache_->is_fresh(kept->source, kept->asked, Clock::now())) {
    count(&Figures::hits);
    count(&Figures::disk_hits);
    return deliver(*fetch, answer_of(fetch->is_other, kept->source, fetch->known));
  }
  if (!kept->source.facts.validators().empty()) fetch->kept = std::move(kept->source);
  start(fetch);
}

void FetchTable::start(const SharedFetch& fetch) {
  source::FetchRequest request{.locator = fetch->locator, .stop = fetch->stop.get_token(), .via = fetch->via};
  request.is_other = fetch->is_other;
  request.validators = fetch->kept ? fetch->kept->facts.validators() : fetch->known;
  fetch->asked = Clock::now();
  {
    base::MutexLock lock(source_mutex_);
    if (!is_closed_) {
      return source_.fetch(std::move(request), [weak = weak_from_this(), fetch](const FetchResult& result) {
        if (const auto table = weak.lock()) table->take(*fetch, result);
      });
    }
  }
  deliver(*fetch, base::fail(base::ErrorCode::kShuttingDown, "the server is shutting down"));
}

void FetchTable::close() {
  base::MutexLock lock(source_mutex_);
  is_closed_ = true;
}

void FetchTable::take(Fetch& fetch, const FetchResult& result) {
  deliver(fetch, is_ever_kept(fetch.locator) ? settle(fetch, result) : result);
}

/// What those who wait are told, and what is kept from now on.
FetchResult FetchTable::settle(const Fetch& fetch, const FetchResult& result) {
  if (!result) {
    if (result.error().code == base::ErrorCode::kNotFound) drop(fetch.locator.canonical());
    return result;
  }
  count(result->not_modified ? &Figures::confirmed : &Figures::whole);
  const bool is_confirmed = result->not_modified && fetch.kept;
  if (result->not_modified && !is_confirmed) return result;  // There are no bytes that could be kept.
  FetchedSource source = *result;
  if (is_confirmed) source = {fetch.kept->bytes, fetch.kept->facts.confirmed_by(result->facts)};
  keep(fetch, source);
  return is_confirmed ? asked_of(fetch.is_other, source) : source;
}

/// Looks once more when it is kept: somebody may have asked for it to be forgotten in between.
void FetchTable::keep(const Fetch& fetch, const FetchedSource& source) {
  const std::string place = fetch.locator.canonical();
  if (is_forgotten(fetch)) return;
  cache_->insert(place, source, fetch.asked);
  if (disk_ && fetch.kept && source.bytes == fetch.kept->bytes) {
    disk_->confirm(place, fetch.kept->facts, source, fetch.asked);
  } else if (disk_) {
    disk_->insert(place, source, fetch.asked);
  }
  if (is_forgotten(fetch)) drop(place);
}

void FetchTable::drop(const std::string& place) {
  cache_->erase(place);
  if (disk_) disk_->erase(place);
}

bool FetchTable::is_forgotten(const Fetch& fetch) const {
  base::MutexLock lock(mutex_);
  return fetch.is_forgotten;
}

void FetchTable::forget(const std::string& place, SourceDisk::Erased erased) {
  forget_above_disk(place);
  if (!disk_) return erased({});
  // Somebody may still find it there before it is deleted.
  disk_->erase(place, [weak = weak_from_this(), place, erased = std::move(erased)](const base::Status& status) {
    if (const auto table = weak.lock()) table->forget_above_disk(place);
    erased(status);
  });
}

void FetchTable::forget_above_disk(const std::string& place) {
  std::vector<SharedFetch> forgotten;  // let go of after the lock
  {
    base::MutexLock lock(mutex_);
    for (auto entry = by_key_.begin(); entry != by_key_.end();) {
      const auto next = std::next(entry);
      if (place.empty() || entry->second->locator.canonical() == place) {
        entry->second->is_forgotten = true;
        forgotten.push_back(std::move(entry->second));
        by_key_.erase(entry);
      }
      entry = next;
    }
  }
  place.empty() ? cache_->clear() : cache_->erase(place);
}

void FetchTable::deliver(Fetch& fetch, const FetchResult& result) {
  std::map<std::uint64_t, Callback> waiting;
  {
    base::MutexLock lock(mutex_);
    remove(fetch);
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
    remove(fetch);
  }
  fetch.stop.request_stop();
}

void FetchTable::remove(const Fetch& fetch) {
  const auto found = by_key_.find(fetch.key);
  if (found != by_key_.end() && found->second.get() == &fetch) by_key_.erase(found);
}

void FetchTable::count(std::uint64_t Figures::*figure) {
  base::MutexLock lock(mutex_);
  ++(figures_.*figure);
}

FetchTable::Figures FetchTable::figures() const {
  base::MutexLock lock(mutex_);
  return figures_;
}

}  // namespace optimux::service
