#pragma once

#include <cstdint>
#include <memory>

#include "source/object_source.hpp"
#include "source/object_store.hpp"
#include "source/pending_reads.hpp"
#include "source/ranged_source.hpp"
#include "source/reactor.hpp"

namespace optimux::source {

/// Objects of a store, read in parts. A part is asked for with `If-Match`, and its object must have the tag and the
/// size that it had when it was opened.
class ObjectRangedSource final : public RangedSource {
 public:
  /// `store` and `reactor` must outlive the source; `store` may be null if `resolve` never finds anything. Larger
  /// objects than `max_video_bytes` are kSourceTooLarge. Objects with `kProcessedMark` are kNotFound.
  ObjectRangedSource(ObjectStore* store, ObjectSource::Resolver resolve, std::uint64_t max_video_bytes,
                     Reactor& reactor);
  /// In the loop's thread, or after the loop has ended. What is under way ends by way of the store.
  ~ObjectRangedSource() override;

  void open(FetchRequest request, OpenCallback callback) override;

 private:
  const std::shared_ptr<ObjectStore* const> store_;  ///< Files hold it weakly.
  const ObjectSource::Resolver resolve_;
  const std::uint64_t max_video_bytes_;
  const std::shared_ptr<PendingOpens> refused_;  ///< Those that never reach the store.
};

}  // namespace optimux::source
