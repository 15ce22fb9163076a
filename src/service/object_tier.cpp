#include "service/object_tier.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "service/miss_memory.hpp"
#include "service/object_record.hpp"
#include "service/tier_stack.hpp"

namespace optimux::service {
namespace {

using source::ObjectAnswer;
using source::ObjectRequest;
using Action = ObjectRequest::Action;
using Answer = base::Result<ObjectAnswer>;

/// What the object keys of all renditions of a source begin with.
std::string folder_of(std::string_view source) {
  return base::hex(base::sha256(source)) + "/";
}

std::string name_of(std::string_view key, std::string_view source) {
  return folder_of(source) + base::hex(base::sha256(key));
}

/// Whether an object has a name of the form above: others in the place are somebody else's, and stay.
bool is_name(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  const auto is_digest = [](std::string_view part) {
    return part.size() == kDigits && part.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  return text.size() == 2 * kDigits + 1 && text[kDigits] == '/' && is_digest(text.substr(0, kDigits)) &&
         is_digest(text.substr(kDigits + 1));
}

std::shared_ptr<const base::ByteBuffer> bytes_of(const Rendition& rendition) {
  base::ByteBuffer bytes;
  bytes.reserve(rendition.body()->size());
  auto reader = rendition.body()->attach();
  for (auto piece = reader.peek(); !piece.empty(); piece = reader.peek()) {
    bytes.append(piece);
    reader.consume(piece.size());
  }
  return std::make_shared<const base::ByteBuffer>(std::move(bytes));
}

}  // namespace

/// What the requests under way need: it lives for as long as one of them does.
class ObjectTier::Work : public std::enable_shared_from_this<Work> {
 public:
  Work(std::weak_ptr<source::ObjectStore> store, source::ObjectPlace place, std::chrono::milliseconds miss_time)
      : store_(std::move(store)), place_(std::move(place)), misses_(miss_time) {}

  void find(const std::string& key, const std::string& source, Found found);
  void insert(const std::shared_ptr<Rendition>& rendition) OPTIMUX_EXCLUDES(mutex_);
  /// Revokes what is being written and is meant; `erasure` is held until it has been.
  void revoke_if(const std::function<bool(const Rendition& rendition)>& is_meant,
                 const std::shared_ptr<ErasureCount>& erasure) OPTIMUX_EXCLUDES(mutex_);
  void erase(const std::string& name, const std::shared_ptr<ErasureCount>& erasure);
  void erase_all(const std::string& folder, const std::string& continuation,
                 const std::shared_ptr<ErasureCount>& erasure);
  TierFigures figures() const;

 private:
  struct Entry {
    std::shared_ptr<Rendition> rendition;
    std::uint64_t bytes = 0;
    std::vector<std::shared_ptr<ErasureCount>> erasures;  ///< That end no earlier than it.
  };

  ObjectRequest request(Action action, const std::string& name) const {
    return {.action = action, .name = {place_.bucket, place_.prefix + name}};
  }
  void run(ObjectRequest request, source::ObjectCallback callback);
  std::shared_ptr<Rendition> take(const std::string& key, const std::string& name, const Answer& answer);
  std::uint64_t begin(const std::shared_ptr<Rendition>& rendition) OPTIMUX_EXCLUDES(mutex_);
  void written(std::uint64_t id, const std::string& name, const Answer& answer) OPTIMUX_EXCLUDES(mutex_);
  Entry end(std::uint64_t id) OPTIMUX_EXCLUDES(mutex_);

  const std::weak_ptr<source::ObjectStore> store_;  ///< Which holds the callbacks, and they this object.
  const source::ObjectPlace place_;
  MissMemory misses_;
  std::atomic<std::uint64_t> hit_count_ = 0;
  std::atomic<std::uint64_t> miss_count_ = 0;
  std::atomic<std::uint64_t> stored_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> damaged_ = 0;
  std::atomic<std::uint64_t> faults_ = 0;
  base::Mutex mutex_;
  std::map<std::uint64_t, Entry> pending_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t next_ OPTIMUX_GUARDED_BY(mutex_) = 1;
  std::uint64_t pending_bytes_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

void ObjectTier::Work::run(ObjectRequest request, source::ObjectCallback callback) {
  if (const auto store = store_.lock()) return store->run(std::move(request), std::move(callback));
  callback(base::fail(base::ErrorCode::kShuttingDown, "the server is shutting down", "the object store has gone"));
}

void ObjectTier::Work::find(const std::string& key, const std::string& source, Found found) {
  const std::string name = name_of(key, source);
  if (misses_.contains(name, MissMemory::Clock::now())) {
    ++miss_count_;
    return found(nullptr);
  }
  run(request(Action::kGet, name), [self = shared_from_this(), key, name, found = std::move(found)](
                                       const Answer& answer) { found(self->take(key, name, answer)); });
}

std::shared_ptr<Rendition> ObjectTier::Work::take(const std::string& key, const std::string& name,
                                                  const Answer& answer) {
  auto rendition = answer ? read_object(key, *answer) : nullptr;
  if (rendition) {
    ++hit_count_;
    return rendition;
  }
  ++miss_count_;
  if (answer) ++damaged_;  // What is made instead takes its place.
  if (!answer && answer.error().code == base::ErrorCode::kNotFound) {
    misses_.remember(name, MissMemory::Clock::now());
  } else if (!answer && answer.error().code != base::ErrorCode::kShuttingDown) {
    ++faults_;
  }
  return nullptr;
}

void ObjectTier::Work::insert(const std::shared_ptr<Rendition>& rendition) {
  if (rendition->is_revoked()) return;
  auto metadata = object_metadata(*rendition);
  const std::uint64_t id = metadata ? begin(rendition) : 0;
  if (id == 0) {
    ++skipped_;
    return;
  }
  const std::string name = name_of(rendition->key(), rendition->source());
  ObjectRequest put = request(Action::kPut, name);
  put.body = bytes_of(*rendition);
  put.content_type = rendition->body()->head().value_or(base::BodyHead{}).content_type;
  put.cache_control = rendition->facts().cache_control;
  put.metadata = *std::move(metadata);
  run(std::move(put), [self = shared_from_this(), id, name](const Answer& answer) { self->written(id, name, answer); });
}

std::uint64_t ObjectTier::Work::begin(const std::shared_ptr<Rendition>& rendition) {
  const std::uint64_t bytes = rendition->body()->memory_size();
  base::MutexLock lock(mutex_);
  if (pending_bytes_ > 0 && pending_bytes_ + bytes > kMaxPendingBytes) return 0;
  pending_bytes_ += bytes;
  pending_.emplace(next_, Entry{rendition, bytes, {}});
  return next_++;
}

void ObjectTier::Work::written(std::uint64_t id, const std::string& name, const Answer& answer) {
  ++(answer ? stored_ : faults_);
  misses_.forget(name);  // Also where it failed: it may have been written all the same.
  const Entry entry = end(id);
  if (!entry.rendition->is_revoked()) return;
  // Purged meanwhile: those who wait for that are told once it is gone.
  const auto erasure = std::make_shared<ErasureCount>([erasures = entry.erasures](const base::Status& status) {
    for (const auto& waiting : erasures) waiting->note(status);
  });
  erase(name, erasure);
}

ObjectTier::Work::Entry ObjectTier::Work::end(std::uint64_t id) {
  base::MutexLock lock(mutex_);
  const auto found = pending_.find(id);
  Entry entry = std::move(found->second);
  pending_bytes_ -= entry.bytes;
  pending_.erase(found);
  return entry;
}

void ObjectTier::Work::revoke_if(const std::function<bool(const Rendition& rendition)>& is_meant,
                                 const std::shared_ptr<ErasureCount>& erasure) {
  base::MutexLock lock(mutex_);
  for (auto& [_, entry] : pending_) {
    if (!is_meant(*entry.rendition)) continue;
    entry.rendition->revoke();
    entry.erasures.push_back(erasure);
  }
}

void ObjectTier::Work::erase(const std::string& name, const std::shared_ptr<ErasureCount>& erasure) {
  run(request(Action::kDelete, name), [self = shared_from_this(), erasure](const Answer& answer) {
    if (answer) return;
    ++self->faults_;
    erasure->note(base::fail(base::ErrorCode::kInternal, "not all objects could be deleted", answer.error().cause));
  });
}

void ObjectTier::Work::erase_all(const std::string& folder, const std::string& continuation,
                                 const std::shared_ptr<ErasureCount>& erasure) {
  ObjectRequest list = request(Action::kList, folder);
  list.continuation = continuation;
  run(std::move(list), [self = shared_from_this(), folder, erasure](const Answer& page) {
    if (!page) {
      ++self->faults_;
      return erasure->note(
          base::fail(base::ErrorCode::kInternal, "the objects could not be listed", page.error().cause));
    }
    // The next page is asked for when these are gone.
    const auto deleted = std::make_shared<ErasureCount>(
        [self, folder, erasure, continuation = page->continuation](const base::Status& status) {
          erasure->note(status);
          if (!continuation.empty()) self->erase_all(folder, continuation, erasure);
        });
    for (const std::string& key : page->keys) {
      const std::string name = key.substr(std::min(self->place_.prefix.size(), key.size()));
      if (is_name(name)) self->erase(name, deleted);
    }
  });
}

TierFigures ObjectTier::Work::figures() const {
  TierFigures figures;
  figures.name = "store";
  figures.hits = hit_count_;
  figures.misses = miss_count_;
  figures.stored = stored_;
  figures.skipped = skipped_;
  figures.damaged = damaged_;
  figures.faults = faults_;
  return figures;
}

ObjectTier::ObjectTier(std::weak_ptr<source::ObjectStore> store, source::ObjectPlace place,
                       std::chrono::milliseconds miss_time)
    : work_(std::make_shared<Work>(std::move(store), std::move(place), miss_time)) {}

ObjectTier::~ObjectTier() = default;

void ObjectTier::find(const std::string& key, const std::string& source, Found found) {
  work_->find(key, source, std::move(found));
}

void ObjectTier::insert(std::shared_ptr<Rendition> rendition) {
  work_->insert(rendition);
}

void ObjectTier::renew(std::shared_ptr<Rendition> rendition) {
  work_->insert(rendition);
}

void ObjectTier::erase(const std::string& key, const std::string& source, Erased erased) {
  const auto erasure = std::make_shared<ErasureCount>(std::move(erased));
  work_->revoke_if([&](const Rendition& rendition) { return rendition.key() == key; }, erasure);
  work_->erase(name_of(key, source), erasure);
}

void ObjectTier::erase_source(const std::string& source, Erased erased) {
  const auto erasure = std::make_shared<ErasureCount>(std::move(erased));
  work_->revoke_if([&](const Rendition& rendition) { return rendition.source() == source; }, erasure);
  work_->erase_all(folder_of(source), "", erasure);
}

void ObjectTier::clear(Erased erased) {
  const auto erasure = std::make_shared<ErasureCount>(std::move(erased));
  work_->revoke_if([](const Rendition&) { return true; }, erasure);
  work_->erase_all("", "", erasure);
}

TierFigures ObjectTier::figures() const {
  return work_->figures();
}

}  // namespace optimux::service
