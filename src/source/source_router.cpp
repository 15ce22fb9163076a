#include "source/source_router.hpp"

#include <cassert>
#include <utility>

namespace optimux::source {

SourceRouter::SourceRouter(std::unique_ptr<Source> files, std::unique_ptr<Source> http)
    : files_(std::move(files)), http_(std::move(http)) {
  assert(files_ && http_ && "every kind of locator has a backend");
}

void SourceRouter::fetch(FetchRequest request, FetchCallback callback) {
  Source& backend = request.locator.kind == SourceLocator::Kind::kFile ? *files_ : *http_;
  backend.fetch(std::move(request), std::move(callback));
}

}  // namespace optimux::source
