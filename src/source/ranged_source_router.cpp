#include "source/ranged_source_router.hpp"

#include <cassert>
#include <utility>

namespace optimux::source {

RangedSourceRouter::RangedSourceRouter(std::unique_ptr<RangedSource> files, std::unique_ptr<RangedSource> http,
                                       std::unique_ptr<RangedSource> objects)
    : files_(std::move(files)), http_(std::move(http)), objects_(std::move(objects)) {
  assert(files_ && http_ && objects_ && "every kind of locator has a backend");
}

RangedSource& RangedSourceRouter::backend_of(SourceLocator::Kind kind) const {
  switch (kind) {
    case SourceLocator::Kind::kFile: return *files_;
    case SourceLocator::Kind::kHttp: return *http_;
    case SourceLocator::Kind::kObject: break;
  }
  return *objects_;
}

void RangedSourceRouter::open(FetchRequest request, OpenCallback callback) {
  RangedSource& backend = backend_of(request.locator.kind);
  backend.open(std::move(request), std::move(callback));
}

}  // namespace optimux::source
