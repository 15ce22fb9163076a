#include "server/admin_routes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "http/target.hpp"
#include "server/json_reader.hpp"

namespace optimux::server {
namespace {

using nlohmann::json;

constexpr std::string_view kJson = "application/json";

std::unique_ptr<Answer> json_answer(const json& document) {
  // Names come from the configuration; bytes that are not UTF-8 must not throw.
  return text_answer(kJson, document.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

/// Null where no job has ended of late: a zero would be a time that nobody measured.
json quantiles(bool has_samples, double p50, double p95, double p99) {
  const auto known = [has_samples](double seconds) { return has_samples ? json(seconds) : json(nullptr); };
  return {{"p50", known(p50)}, {"p95", known(p95)}, {"p99", known(p99)}};
}

json to_json(const service::PoolRecommendation& advice) {
  return {{"verdict", advice.verdict},   {"workers", advice.workers > 0 ? json(advice.workers) : json(nullptr)},
          {"busy_workers", advice.busy}, {"utilisation", advice.utilisation},
          {"gated", advice.gated},       {"text", advice.text}};
}

json to_json(const service::PoolFigures& pool) {
  const bool has_samples = pool.service_p99 > 0;
  return {{"name", pool.name},
          {"policy", pool.policy},
          {"cpus", pool.cpus},
          {"cpu_source", pool.cpu_source},
          {"workers_min", pool.workers_min},
          {"workers_max", pool.workers_max},
          {"workers_limit", pool.workers_limit},
          {"live", pool.live},
          {"total", pool.total},
          {"retiring", pool.retiring},
          {"idle", pool.idle},
          {"in_flight", pool.in_flight},
          {"queue_depth", pool.queue_depth},
          {"queue_capacity", pool.queue_capacity},
          {"jobs",
           {{"accepted", pool.accepted},
            {"refused", pool.refused},
            {"done", pool.done},
            {"failed", pool.failed},
            {"cancelled", pool.cancelled},
            {"expired", pool.expired}}},
          {"arrival_rate", pool.arrival_rate},
          {"expected_wait_seconds", pool.expected_wait},
          {"wait_seconds", quantiles(has_samples, pool.wait_p50, pool.wait_p95, pool.wait_p99)},
          {"service_seconds", quantiles(has_samples, pool.service_p50, pool.service_p95, pool.service_p99)},
          {"recommendation", to_json(pool.recommendation)}};
}

json to_json(const service::PoolDecision& decision) {
  return {{"age_seconds", decision.age},     {"live", decision.live},     {"queue_depth", decision.queue_depth},
          {"in_flight", decision.in_flight}, {"target", decision.target}, {"reason", decision.reason}};
}

std::unique_ptr<Answer> pools(const ServerState& state) {
  json list = json::array();
  for (const auto& pool : state.backend.pools()) list.push_back(to_json(pool));
  return json_answer({{"pools", std::move(list)}});
}

/// `NAME` of `/pools/NAME/ending`; nothing when the path is another.
std::optional<std::string> pool_name(const RouteCall& call, std::string_view ending) {
  if (!call.rest.ends_with(ending)) return std::nullopt;
  const std::string_view name = call.rest.substr(0, call.rest.size() - ending.size());
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  return http::decode_path(name).value_or("");
}

std::unique_ptr<Answer> not_found(const ServerState& state, const RouteCall& call, std::string detail) {
  return problem_answer(state, call.context, {base::ErrorCode::kNotFound, std::move(detail), {}});
}

std::unique_ptr<Answer> decisions(const ServerState& state, const RouteCall& call) {
  const auto name = pool_name(call, "/decisions");
  if (!name) return not_found(state, call, "there is no such route");
  const auto found = state.backend.decisions(*name);
  if (!found) return not_found(state, call, "there is no pool of this name");
  json list = json::array();
  for (const auto& decision : *found) list.push_back(to_json(decision));
  return json_answer({{"pool", *name}, {"decisions", std::move(list)}});
}

constexpr const char* kNoLimits = "the body is a JSON object with workers_min and workers_max";

/// The body of a change of a pool's limits. Fields that are missing stay as they are in the pool.
class PoolLimits final : public JsonReader {
 public:
  explicit PoolLimits(const service::PoolFigures& pool)
      : workers_min_(pool.workers_min), workers_max_(pool.workers_max), limit_(pool.workers_limit) {}

  int workers_min() const { return workers_min_; }
  int workers_max() const { return workers_max_; }

  bool start_object(std::size_t) override;
  bool key(std::string& name) override;
  bool number_unsigned(std::uint64_t number) override;
  bool end_object() override;

 private:
  bool unfit() override;

  int workers_min_;
  int workers_max_;
  const int limit_;
  bool is_open_ = false;
  int* field_ = nullptr;  ///< Where the next number goes.
};

bool PoolLimits::start_object(std::size_t) {
  if (is_open_) return unfit();
  is_open_ = true;
  return true;
}

bool PoolLimits::key(std::string& name) {
  const bool is_known = name == "workers_min" || name == "workers_max";
  if (!is_known) return refuse("the body has other fields than workers_min and workers_max");
  field_ = name == "workers_min" ? &workers_min_ : &workers_max_;
  return true;
}

bool PoolLimits::number_unsigned(std::uint64_t number) {
  if (field_ == nullptr || number > static_cast<std::uint64_t>(limit_)) return unfit();
  *field_ = static_cast<int>(number);
  return true;
}

bool PoolLimits::end_object() {
  if (field_ == nullptr) return refuse(kNoLimits);
  if (workers_max_ == 0 || workers_min_ <= workers_max_) return true;
  return refuse("workers_min: " + std::to_string(workers_min_) + " is more than workers_max, which is " +
                std::to_string(workers_max_));
}

bool PoolLimits::unfit() {
  if (!is_open_) return refuse(kNoLimits);
  return refuse("workers_min and workers_max are whole numbers from 0 to " + std::to_string(limit_));
}

std::unique_ptr<Answer> set_limits(const ServerState& state, const RouteCall& call) {
  const auto name = pool_name(call, "/limits");
  if (!name) return not_found(state, call, "there is no such route");
  for (const auto& pool : state.backend.pools()) {
    if (pool.name != *name) continue;
    PoolLimits limits(pool);
    const base::Status read = limits.read(call.request.body, kNoLimits);
    if (!read) return problem_answer(state, call.context, read.error());
    const base::Status status = state.backend.set_pool_limits(*name, limits.workers_min(), limits.workers_max());
    if (!status) return problem_answer(state, call.context, status.error());
    state.log.info("pool limits set",
                   {{"pool", *name}, {"workers_min", limits.workers_min()}, {"workers_max", limits.workers_max()}});
    return pools(state);
  }
  return not_found(state, call, "there is no pool of this name");
}

std::unique_ptr<Answer> set_log_level(const ServerState& state, const RouteCall& call) {
  const auto level = base::parse_log_level(base::trim(base::split(call.request.body, '\n')[0]));
  if (!level) return problem_answer(state, call.context, level.error());
  state.log.set_level(*level);
  return text_answer("text/plain; charset=utf-8", std::string(base::name_of(*level)) + '\n');
}

}  // namespace

void add_admin_routes(Router& router, ServerState& state, std::function<ConnectionFigures()> connections) {
  router.add({"metrics", "/metrics", false, "GET", [&state, connections = std::move(connections)](const RouteCall&) {
                return text_answer("text/plain; version=0.0.4; charset=utf-8",
                                   state.metrics.page(state.backend, connections(), state.is_draining()));
              }});
  router.add({"pools", "/pools", false, "GET", [&state](const RouteCall&) { return pools(state); }});
  router.add({"decisions", "/pools/", true, "GET", [&state](const RouteCall& call) { return decisions(state, call); }});
  router.add({"limits", "/pools/", true, "PUT", [&state](const RouteCall& call) { return set_limits(state, call); }});
  router.add({"log-level", "/log-level", false, "PUT",
              [&state](const RouteCall& call) { return set_log_level(state, call); }});
}

}  // namespace optimux::server
