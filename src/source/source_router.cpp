#include "source/source_router.hpp"

#include <cassert>
#include <utility>

namespace optimux::source {

SourceRouter::SourceRouter(std::unique_ptr<Source> files, std::unique_ptr<Source> http, std::unique_ptr<Source> objects)
    : files_(std::move(files)), http_(std::move(http)), objects_(std::move(objects)) {
  assert(files_ && http_ && objects_ && "every kind of locator has a backend");
}

Source& SourceRouter::backend_of(SourceLocator::Kind kind) const {
  switch (kind) {
    case SourceLocator::Kind::kFile: return *files_;
    case SourceLocator::Kind::kHttp: return *http_;
    case SourceLocator::Kind::kObject: break;
  }
  return *objects_;
}

void SourceRouter::fetch(FetchRequest request, FetchCallback callback) {
  Source& backend = backend_of(request.locator.kind);
  backend.fetch(std::move(request), std::move(callback));
}

}  // namespace optimux::source
