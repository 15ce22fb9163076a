#include "source/object_source.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using base::Result;

Result<FetchedSource> to_source(Result<ObjectAnswer> answer, const std::string& place) {
  if (!answer) return base::fail(answer.error());
  if (answer->facts.metadata.count(kProcessedMark) != 0) {
    return base::fail(source_not_found(place + " carries the mark of a rendition"));
  }
  return FetchedSource{std::move(answer->bytes), std::move(answer->facts.source), answer->not_modified};
}

}  // namespace

ObjectSource::Resolver ObjectSource::in_place(ObjectPlace place) {
  return [place = std::move(place)](const SourceLocator& locator) -> Result<ObjectName> {
    auto name = place.object(locator.value);
    if (!name) return base::fail(source_not_found("the key leads out of the store: " + locator.value));
    return *std::move(name);
  };
}

ObjectSource::Resolver ObjectSource::in_places(std::vector<ObjectPlace> allowed) {
  return [allowed = std::move(allowed)](const SourceLocator& locator) -> Result<ObjectName> {
    auto name = parse_object_url("s3://" + locator.value);
    const auto holds_it = [&](const ObjectPlace& place) { return place.holds(*name); };
    if (!name || std::none_of(allowed.begin(), allowed.end(), holds_it)) {
      return base::fail(source_not_allowed("no place of s3_buckets holds " + locator.value));
    }
    return *std::move(name);
  };
}

ObjectSource::ObjectSource(ObjectStore* store, Resolver resolve, Reactor& reactor)
    : store_(store), resolve_(std::move(resolve)), refused_(std::make_shared<PendingFetches>(reactor)) {}

ObjectSource::~ObjectSource() {
  refused_->close();
}

void ObjectSource::fetch(FetchRequest request, FetchCallback callback) {
  auto name = resolve_(request.locator);
  if (!name) {
    const auto id = refused_->add(std::move(callback), request.deadline, request.stop, [](PendingFetches::Id) {});
    return refused_->finish(id, base::fail(name.error()));
  }
  assert(store_ != nullptr && "who finds objects has a store");
  std::string place = name->bucket + "/" + name->key;
  ObjectRequest get{.name = *std::move(name), .deadline = request.deadline, .stop = std::move(request.stop)};
  get.validators = std::move(request.validators);
  get.is_other = std::move(request.is_other);
  store_->run(std::move(get), [callback = std::move(callback), place = std::move(place)](Result<ObjectAnswer> answer) {
    callback(to_source(std::move(answer), place));
  });
}

}  // namespace optimux::source
