#include "server/purge_route.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "http/target.hpp"
#include "server/rendition_routes.hpp"
#include "source/source.hpp"
#include "source/source_url.hpp"

namespace optimux::server {
namespace {

using base::ErrorCode;

/// What became of a purge, between whoever carries it out and the answer. Thread-safe.
class PurgeResult {
 public:
  void set(const base::Status& status) OPTIMUX_EXCLUDES(mutex_) {
    std::function<void()> wake;
    {
      base::MutexLock lock(mutex_);
      status_ = status;
      wake.swap(wake_);
    }
    if (wake) wake();
  }

  std::optional<base::Status> get() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return status_;
  }

  bool wait(std::function<void()> wake) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (status_) return false;
    wake_ = std::move(wake);
    return true;
  }

  void stop_waiting() OPTIMUX_EXCLUDES(mutex_) {
    std::function<void()> removed;
    base::MutexLock lock(mutex_);
    removed.swap(wake_);
  }

 private:
  mutable base::Mutex mutex_;
  std::optional<base::Status> status_ OPTIMUX_GUARDED_BY(mutex_);
  std::function<void()> wake_ OPTIMUX_GUARDED_BY(mutex_);
};

/// 204 once the purge has been carried out, or what went wrong with it.
class PurgeAnswer final : public Answer {
 public:
  PurgeAnswer(ServerState& state, const RequestContext& context, std::shared_ptr<PurgeResult> result)
      : state_(state), context_(context), result_(std::move(result)) {}
  ~PurgeAnswer() override { result_->stop_waiting(); }

  std::optional<http::ResponseHead> take_head() override {
    if (answer_) return std::nullopt;
    const auto status = result_->get();
    if (!status) return std::nullopt;
    answer_ = *status ? empty_answer(204, {{"Cache-Control", "no-store"}})
                      : problem_answer(state_, context_, status->error());
    return answer_->take_head();
  }
  Window window(std::size_t max_pieces, Cut cut) override { return answer_->window(max_pieces, cut); }
  void consume(std::size_t count) override { answer_->consume(count); }
  bool wait(std::function<void()> wake) override { return !answer_ && result_->wait(std::move(wake)); }
  AnswerReport report() const override { return answer_ ? answer_->report() : AnswerReport{}; }

 private:
  ServerState& state_;
  const RequestContext& context_;
  const std::shared_ptr<PurgeResult> result_;
  std::unique_ptr<Answer> answer_;
};

/// What a purge names. At most one of the two.
struct PurgeParameters {
  std::optional<std::string> url;
  std::optional<std::string> source;
};

base::Result<PurgeParameters> read_parameters(std::string_view query) {
  const auto parameters = http::parse_query(query);
  if (!parameters) return base::fail(parameters.error());
  PurgeParameters purge;
  for (const auto& parameter : *parameters) {
    if (parameter.name != "url" && parameter.name != "source") {
      return base::fail(ErrorCode::kInvalidParameter, parameter.name + ": unknown; a purge takes url or source");
    }
    if (purge.url || purge.source) {
      return base::fail(ErrorCode::kInvalidParameter, parameter.name + ": a purge takes one of url and source, once");
    }
    (parameter.name == "url" ? purge.url : purge.source) = parameter.value;
  }
  return purge;
}

base::Status begin(ServerState& state, const RouteCall& call, const PurgeParameters& parameters,
                   Backend::Purged purged) {
  if (parameters.source) {
    const auto source = source::parse_source_url(*parameters.source);
    if (!source) return base::fail(source.error());
    state.backend.purge_source(*source, std::move(purged));
    return {};
  }
  if (!parameters.url) {
    state.backend.purge_all(std::move(purged));
    return {};
  }
  const auto named = renditions_named_by(*parameters.url, call.context);
  if (!named) return base::fail(named.error());
  if (named->described) {
    state.backend.purge_info(*named->described, std::move(purged));
  } else {
    state.backend.purge(named->specs, std::move(purged));
  }
  return {};
}

std::unique_ptr<Answer> purge(ServerState& state, const RouteCall& call) {
  const auto parameters = read_parameters(call.query);
  if (!parameters) return problem_answer(state, call.context, parameters.error());
  const auto result = std::make_shared<PurgeResult>();
  const base::Status begun =
      begin(state, call, *parameters, [result](const base::Status& status) { result->set(status); });
  if (!begun) return problem_answer(state, call.context, begun.error());
  state.log.info("cache purged", {{"url", source::without_query(parameters->url.value_or(""))},
                                  {"source", source::without_query(parameters->source.value_or(""))},
                                  {"everything", !parameters->url && !parameters->source}});
  return std::make_unique<PurgeAnswer>(state, call.context, result);
}

}  // namespace

void add_purge_route(Router& router, ServerState& state) {
  router.add({"purge", "/cache", false, "DELETE", [&state](const RouteCall& call) { return purge(state, call); }});
}

}  // namespace optimux::server
