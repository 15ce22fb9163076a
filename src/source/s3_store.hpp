#pragma once

#include <memory>

#include "base/result.hpp"
#include "source/credential_providers.hpp"
#include "source/object_store.hpp"
#include "source/pending_fetches.hpp"
#include "source/reactor.hpp"
#include "source/s3_settings.hpp"

namespace optimux::source {

struct S3Counters;

/// Amazon S3, and all that speaks its protocol, on the event loop. Requests are signed with AWS Signature Version 4,
/// repeated where that may help, and kept away from a host that fails time after time (see `S3Call`).
///
/// The endpoint is configuration, so its address may be private. Nothing leads elsewhere: no redirect is followed, no
/// proxy is taken from the environment, and credentials are sent to the endpoint alone, as signatures.
class S3Store final : public ObjectStore {
 public:
  /// `reactor` must outlive the store, and the work that `runner` was given. Errors: kInvalidParameter naming the
  /// option, kInternal when libcurl cannot be set up.
  static base::Result<std::unique_ptr<S3Store>> make(S3Settings settings, const CredentialSettings& credentials,
                                                     Reactor& reactor, const BlockingRunner& runner);
  /// In the loop's thread, or after the loop has ended: requests under way end with kShuttingDown before it returns.
  ~S3Store() override;

  /// As said of `ObjectStore`. Takes the digest of a body in the calling thread.
  void run(ObjectRequest request, ObjectCallback callback) override;
  ObjectStoreFigures figures() const override;

 private:
  class Calls;
  using Pending = PendingResults<ObjectAnswer>;

  S3Store(Reactor& reactor, std::shared_ptr<Pending> pending, std::shared_ptr<S3Counters> counters,
          std::shared_ptr<Calls> calls);

  Reactor& reactor_;
  const std::shared_ptr<Pending> pending_;
  const std::shared_ptr<S3Counters> counters_;
  const std::shared_ptr<Calls> calls_;  ///< Of the loop's thread; posted tasks hold it weakly.
};

}  // namespace optimux::source
