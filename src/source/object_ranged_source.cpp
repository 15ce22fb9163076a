#include "source/object_ranged_source.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using base::Result;
using Bytes = std::shared_ptr<const base::ByteBuffer>;

/// What was opened: which object it is, and its state.
struct Opened {
  ObjectName name;
  SourceFacts facts;
  std::uint64_t size = 0;

  std::string place() const { return name.bucket + "/" + name.key; }
};

RangedFile::ReadResult read_result(const Opened& opened, Result<ObjectAnswer> answer, const ByteRange& range) {
  const bool is_gone = !answer && answer.error().code == base::ErrorCode::kRangeNotSatisfiable;
  if (is_gone) return base::fail(source_changed(opened.place() + ": " + answer.error().cause));
  if (!answer) return base::fail(answer.error());
  const bool is_same = answer->bytes && answer->bytes->size() == range.count && answer->size == opened.size &&
                       answer->facts.source.etag == opened.facts.etag;
  if (!is_same) return base::fail(source_changed(opened.place() + ": a part of another state"));
  return std::move(answer->bytes);
}

class ObjectRangedFile final : public RangedFile {
 public:
  ObjectRangedFile(Opened opened, Bytes head, std::weak_ptr<ObjectStore* const> store)
      : opened_(std::make_shared<const Opened>(std::move(opened))), head_(std::move(head)), store_(std::move(store)) {}

  std::uint64_t size() const override { return opened_->size; }
  const SourceFacts& facts() const override { return opened_->facts; }
  std::span<const std::byte> head() const override {
    return head_ ? std::span(head_->data(), head_->size()) : std::span<const std::byte>();
  }

  void read(std::uint64_t offset, std::size_t count, base::Deadline deadline, std::stop_token stop,
            ReadCallback callback) override {
    assert(count > 0 && offset < size() && count <= size() - offset && "reads lie within the file");
    const auto store = store_.lock();
    if (!store) return callback(base::fail(base::ErrorCode::kShuttingDown, "the server is shutting down"));
    const ByteRange range{offset, count};
    ObjectRequest get{.name = opened_->name, .deadline = deadline, .stop = std::move(stop), .range = range};
    get.required_etag = opened_->facts.etag;
    (*store)->run(std::move(get),
                  [opened = opened_, range, callback = std::move(callback)](Result<ObjectAnswer> answer) {
                    callback(read_result(*opened, std::move(answer), range));
                  });
  }

 private:
  const std::shared_ptr<const Opened> opened_;  ///< Shared with reads under way.
  const Bytes head_;                            ///< Null: the object is empty.
  const std::weak_ptr<ObjectStore* const> store_;
};

Result<std::shared_ptr<RangedFile>> open_result(ObjectName name, Result<ObjectAnswer> answer,
                                                std::uint64_t max_video_bytes,
                                                std::weak_ptr<ObjectStore* const> store) {
  // No range of an empty object can be had, not the first bytes either.
  if (!answer && answer.error().code == base::ErrorCode::kRangeNotSatisfiable) {
    return std::make_shared<ObjectRangedFile>(Opened{std::move(name), {}, 0}, nullptr, std::move(store));
  }
  if (!answer) return base::fail(answer.error());
  Opened opened{std::move(name), std::move(answer->facts.source), answer->size};
  if (answer->facts.metadata.count(kProcessedMark) != 0) {
    return base::fail(source_not_found(opened.place() + " carries the mark of a rendition"));
  }
  if (opened.size > max_video_bytes) return base::fail(video_too_large(max_video_bytes, opened.place()));
  const std::uint64_t expected = std::min<std::uint64_t>(opened.size, RangedFile::kHeadBytes);
  if (!answer->bytes || answer->bytes->size() != expected) {
    return base::fail(origin_failed(opened.place() + ": not the part that was asked for"));
  }
  return std::make_shared<ObjectRangedFile>(std::move(opened), std::move(answer->bytes), std::move(store));
}

}  // namespace

ObjectRangedSource::ObjectRangedSource(ObjectStore* store, ObjectSource::Resolver resolve,
                                       std::uint64_t max_video_bytes, Reactor& reactor)
    : store_(std::make_shared<ObjectStore* const>(store)),
      resolve_(std::move(resolve)),
      max_video_bytes_(max_video_bytes),
      refused_(std::make_shared<PendingOpens>(reactor)) {}

ObjectRangedSource::~ObjectRangedSource() {
  refused_->close();
}

void ObjectRangedSource::open(FetchRequest request, OpenCallback callback) {
  auto name = resolve_(request.locator);
  if (!name) {
    const auto id = refused_->add(std::move(callback), request.deadline, request.stop, [](PendingOpens::Id) {});
    return refused_->finish(id, base::fail(name.error()));
  }
  assert(*store_ != nullptr && "who finds objects has a store");
  ObjectRequest get{.name = *name, .deadline = request.deadline, .stop = std::move(request.stop)};
  get.range = ByteRange{0, RangedFile::kHeadBytes};
  (*store_)->run(std::move(get),
                 [name = *std::move(name), max_video_bytes = max_video_bytes_, store = std::weak_ptr(store_),
                  callback = std::move(callback)](Result<ObjectAnswer> answer) {
                   callback(open_result(name, std::move(answer), max_video_bytes, store));
                 });
}

}  // namespace optimux::source
