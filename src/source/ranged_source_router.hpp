#pragma once

#include <memory>

#include "source/ranged_source.hpp"

namespace optimux::source {

/// Opens each source at the backend of its locator's kind.
class RangedSourceRouter final : public RangedSource {
 public:
  /// Takes the backends over; none is null. They go, in the loop's thread, when the router goes.
  RangedSourceRouter(std::unique_ptr<RangedSource> files, std::unique_ptr<RangedSource> http,
                     std::unique_ptr<RangedSource> objects);

  void open(FetchRequest request, OpenCallback callback) override;

 private:
  RangedSource& backend_of(SourceLocator::Kind kind) const;

  const std::unique_ptr<RangedSource> files_;
  const std::unique_ptr<RangedSource> http_;
  const std::unique_ptr<RangedSource> objects_;
};

}  // namespace optimux::source
