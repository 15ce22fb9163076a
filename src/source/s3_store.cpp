#include "source/s3_store.hpp"

#include <map>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "source/curl_multi.hpp"
#include "source/s3_call.hpp"
#include "source/s3_context.hpp"

namespace optimux::source {
namespace {

std::atomic<std::uint64_t>& counter_of(S3Counters& counters, ObjectRequest::Action action) {
  switch (action) {
    case ObjectRequest::Action::kGet: return counters.gets;
    case ObjectRequest::Action::kHead: return counters.heads;
    case ObjectRequest::Action::kPut: return counters.puts;
    case ObjectRequest::Action::kDelete: return counters.deletes;
    case ObjectRequest::Action::kList: break;
  }
  return counters.lists;
}

bool is_failure(const base::Result<ObjectAnswer>& result) {
  if (result) return false;
  const base::ErrorCode code = result.error().code;
  return code != base::ErrorCode::kNotFound && code != base::ErrorCode::kCancelled &&
         code != base::ErrorCode::kVideoSource;
}

}  // namespace

/// The calls under way, and what they share.
class S3Store::Calls {
 public:
  Calls(S3Settings settings, S3Endpoint endpoint, const CredentialSettings& credentials, Reactor& reactor,
        const BlockingRunner& runner, Pending& pending, std::unique_ptr<CurlMulti> multi, S3Counters& counters)
      : settings_(with_open_policy(std::move(settings))),
        endpoint_(std::move(endpoint)),
        pending_(pending),
        multi_(std::move(multi)),
        http_{settings_.http, reactor, *multi_},
        keeper_(make_credential_providers(credentials, settings_.region, http_, reactor, runner)),
        context_{settings_, endpoint_, http_, keeper_, counters} {}

  void start(Pending::Id id, ObjectRequest request, std::string payload_hash) {
    if (!pending_.contains(id)) return;  // It was stopped before it got here.
    auto call = std::make_unique<S3Call>(
        context_, std::move(request), std::move(payload_hash),
        [this, id](base::Result<ObjectAnswer> result) { pending_.finish(id, std::move(result)); });
    const auto position = calls_.emplace(id, std::move(call)).first;
    position->second->start();
  }

  void release(Pending::Id id) { calls_.erase(id); }

 private:
  static S3Settings with_open_policy(S3Settings settings) {
    settings.http.policy = AddressPolicy::everything();
    return settings;
  }

  const S3Settings settings_;
  const S3Endpoint endpoint_;
  Pending& pending_;
  const std::unique_ptr<CurlMulti> multi_;
  const HttpContext http_;
  S3CredentialKeeper keeper_;
  S3Context context_;
  std::map<Pending::Id, std::unique_ptr<S3Call>> calls_;
};

base::Result<std::unique_ptr<S3Store>> S3Store::make(S3Settings settings, const CredentialSettings& credentials,
                                                     Reactor& reactor, const BlockingRunner& runner) {
  auto endpoint = S3Endpoint::make(settings.endpoint, settings.region, settings.addressing);
  if (!endpoint) return base::fail(endpoint.error());
  auto multi = CurlMulti::make(reactor, settings.http.connections);
  if (!multi) return base::fail(multi.error());
  auto pending = std::make_shared<Pending>(reactor);
  auto counters = std::make_shared<S3Counters>();
  auto calls = std::make_shared<Calls>(std::move(settings), *std::move(endpoint), credentials, reactor, runner,
                                       *pending, std::move(*multi), *counters);
  return std::unique_ptr<S3Store>(new S3Store(reactor, std::move(pending), std::move(counters), std::move(calls)));
}

S3Store::S3Store(Reactor& reactor, std::shared_ptr<Pending> pending, std::shared_ptr<S3Counters> counters,
                 std::shared_ptr<Calls> calls)
    : reactor_(reactor), pending_(std::move(pending)), counters_(std::move(counters)), calls_(std::move(calls)) {}

S3Store::~S3Store() {
  pending_->close();
}

void S3Store::run(ObjectRequest request, ObjectCallback callback) {
  ++counter_of(*counters_, request.action);
  std::string payload_hash =
      base::hex(request.body ? base::sha256(std::span(request.body->data(), request.body->size()))
                             : base::sha256(std::string_view()));
  const std::weak_ptr<Calls> weak = calls_;
  auto counted = [counters = counters_, callback = std::move(callback)](base::Result<ObjectAnswer> result) {
    if (is_failure(result)) ++counters->failures;
    callback(std::move(result));
  };
  const base::Deadline deadline = request.deadline;
  const std::stop_token stop = request.stop;
  const auto id = pending_->add(std::move(counted), deadline, stop, [weak](Pending::Id ended) {
    if (const auto calls = weak.lock()) calls->release(ended);
  });
  reactor_.post([weak, id, request = std::move(request), hash = std::move(payload_hash)]() mutable {
    if (const auto calls = weak.lock()) calls->start(id, std::move(request), std::move(hash));
  });
}

ObjectStoreFigures S3Store::figures() const {
  ObjectStoreFigures figures;
  figures.gets = counters_->gets;
  figures.heads = counters_->heads;
  figures.puts = counters_->puts;
  figures.deletes = counters_->deletes;
  figures.lists = counters_->lists;
  figures.failures = counters_->failures;
  figures.retries = counters_->retries;
  figures.breaker_opens = counters_->breaker_opens;
  figures.breaker_refusals = counters_->breaker_refusals;
  figures.open_breakers = counters_->open_breakers;
  return figures;
}

}  // namespace optimux::source
