#pragma once

#include <memory>

#include "base/result.hpp"
#include "source/http_settings.hpp"
#include "source/pending_fetches.hpp"
#include "source/reactor.hpp"
#include "source/source.hpp"

namespace optimux::source {

/// HTTP and HTTPS origins, on the event loop: no thread waits for an origin. Connections are used again, HTTP/2 where
/// TLS negotiates it.
///
/// Every hop of every fetch is checked by the address policy, at the moment of connecting. Nothing of the environment
/// or of earlier answers reaches an origin: no proxy, no cookies, no credentials. Requests carry `Via` with the
/// `via_pseudonym` of this process, by which its server can tell that a request leads back to itself.
///
/// The answers: 200 and 203 are the source; 404 and 410 kNotFound; 401 and 403 kForbiddenSource, in the same words as
/// for refused addresses; redirects are followed; 304 is `not_modified` where validators were sent; everything else, a
/// partial answer and a 304 that nobody asked for included, is kOriginFailed. A body that is shorter than announced is
/// kOriginFailed; one that is compressed though nobody asked is decoded, and its decoded size counts.
class HttpSource final : public Source {
 public:
  /// `reactor` must outlive the source. Errors: kInternal when libcurl cannot be set up.
  static base::Result<std::unique_ptr<HttpSource>> make(HttpSettings settings, Reactor& reactor);
  /// In the loop's thread, or after the loop has ended: fetches under way end with kShuttingDown before it returns.
  ~HttpSource() override;

  void fetch(FetchRequest request, FetchCallback callback) override;

 private:
  class Transfers;
  HttpSource(Reactor& reactor, std::shared_ptr<PendingFetches> pending, std::shared_ptr<Transfers> transfers);

  Reactor& reactor_;
  const std::shared_ptr<PendingFetches> pending_;
  const std::shared_ptr<Transfers> transfers_;  ///< Of the loop's thread; posted tasks hold it weakly.
};

}  // namespace optimux::source
