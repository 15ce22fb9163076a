#pragma once

#include <memory>

#include "source/source.hpp"

namespace optimux::source {

/// Sends each fetch to the backend of its locator's kind.
class SourceRouter final : public Source {
 public:
  /// Takes the backends over; none is null. They go, in the loop's thread, when the router goes.
  SourceRouter(std::unique_ptr<Source> files, std::unique_ptr<Source> http, std::unique_ptr<Source> objects);

  void fetch(FetchRequest request, FetchCallback callback) override;
  bool has_local_files() const override { return files_->has_local_files(); }

 private:
  Source& backend_of(SourceLocator::Kind kind) const;

  const std::unique_ptr<Source> files_;
  const std::unique_ptr<Source> http_;
  const std::unique_ptr<Source> objects_;
};

}  // namespace optimux::source
