#include "source/http_source.hpp"

#include <cassert>
#include <map>
#include <utility>

#include "source/curl_multi.hpp"
#include "source/http_fetch.hpp"
#include "source/source_url.hpp"

namespace optimux::source {
namespace {

FetchedSource to_source(HttpFetched&& fetched) {
  if (fetched.not_modified) return {nullptr, std::move(fetched.facts), true};
  return {std::make_shared<const base::ByteBuffer>(std::move(fetched.bytes)), std::move(fetched.facts)};
}

}  // namespace

/// The fetches under way and the connections that they share.
class HttpSource::Transfers {
 public:
  Transfers(HttpSettings settings, Reactor& reactor, PendingFetches& pending, std::unique_ptr<CurlMulti> multi)
      : settings_(std::move(settings)),
        pending_(pending),
        multi_(std::move(multi)),
        context_{settings_, reactor, *multi_} {}

  void start(PendingFetches::Id id, const FetchRequest& request) {
    if (!pending_.contains(id)) return;  // It was stopped before it got here.
    auto parsed = parse_http_url(request.locator.value);
    if (!parsed) return pending_.finish(id, base::fail(parsed.error()));
    auto fetch = std::make_unique<HttpFetch>(
        context_, HttpWish{.via = request.via, .validators = request.validators, .is_other = request.is_other},
        [this, id](base::Result<HttpFetched> result) { pending_.finish(id, std::move(result).map(&to_source)); });
    const auto position = fetches_.emplace(id, std::move(fetch)).first;
    position->second->start(*parsed);
  }

  void release(PendingFetches::Id id) { fetches_.erase(id); }

 private:
  const HttpSettings settings_;
  PendingFetches& pending_;
  const std::unique_ptr<CurlMulti> multi_;
  const HttpContext context_;
  std::map<PendingFetches::Id, std::unique_ptr<HttpFetch>> fetches_;
};

base::Result<std::unique_ptr<HttpSource>> HttpSource::make(HttpSettings settings, Reactor& reactor) {
  auto multi = CurlMulti::make(reactor, settings.connections);
  if (!multi) return base::fail(multi.error());
  auto pending = std::make_shared<PendingFetches>(reactor);
  auto transfers = std::make_shared<Transfers>(std::move(settings), reactor, *pending, std::move(*multi));
  return std::unique_ptr<HttpSource>(new HttpSource(reactor, std::move(pending), std::move(transfers)));
}

HttpSource::HttpSource(Reactor& reactor, std::shared_ptr<PendingFetches> pending, std::shared_ptr<Transfers> transfers)
    : reactor_(reactor), pending_(std::move(pending)), transfers_(std::move(transfers)) {}

HttpSource::~HttpSource() {
  pending_->close();
}

void HttpSource::fetch(FetchRequest request, FetchCallback callback) {
  assert(request.locator.kind == SourceLocator::Kind::kHttp);
  const std::weak_ptr<Transfers> weak = transfers_;
  const auto id = pending_->add(std::move(callback), request.deadline, request.stop, [weak](PendingFetches::Id ended) {
    if (const auto transfers = weak.lock()) transfers->release(ended);
  });
  reactor_.post([weak, id, request = std::move(request)] {
    if (const auto transfers = weak.lock()) transfers->start(id, request);
  });
}

}  // namespace optimux::source
