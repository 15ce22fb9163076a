#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "source/object_place.hpp"
#include "source/object_store.hpp"
#include "source/pending_fetches.hpp"
#include "source/reactor.hpp"
#include "source/source.hpp"

namespace optimux::source {

/// The metadata of objects that this product has made from others, with any value. They are no sources: what has been
/// rendered once is not rendered again.
inline constexpr const char* kProcessedMark = "optimux-processed";

/// Sources that are objects of a store.
class ObjectSource final : public Source {
 public:
  /// Which object a locator means, or why none may be had. Pure; any thread.
  using Resolver = std::function<base::Result<ObjectName>(const SourceLocator& locator)>;

  /// Keys of the default store (kFile), each below `place`. kNotFound for those that would lead out of it.
  static Resolver in_place(ObjectPlace place);
  /// Objects of which a URL says the name (kObject). kForbiddenSource for those that no allowed place holds.
  static Resolver in_places(std::vector<ObjectPlace> allowed);

  /// `store` and `reactor` must outlive the source; `store` may be null if `resolve` never finds anything.
  ObjectSource(ObjectStore* store, Resolver resolve, Reactor& reactor);
  /// In the loop's thread, or after the loop has ended. Fetches under way end by way of the store.
  ~ObjectSource() override;

  void fetch(FetchRequest request, FetchCallback callback) override;
  bool has_local_files() const override { return false; }

 private:
  ObjectStore* const store_;
  const Resolver resolve_;
  const std::shared_ptr<PendingFetches> refused_;  ///< Fetches that never reach the store.
};

}  // namespace optimux::source
