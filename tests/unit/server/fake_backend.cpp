#include "unit/server/fake_backend.hpp"

#include <utility>

namespace optimux::server {
namespace {

std::shared_ptr<service::Rendition> pending_rendition() {
  auto rendition = std::make_shared<service::Rendition>("key");
  rendition->set_facts(sample_facts());
  rendition->set_timings({.fetch = std::chrono::microseconds(1500),
                          .queue = std::chrono::microseconds(200),
                          .decode = std::chrono::microseconds(3000)});
  return rendition;
}

}  // namespace

service::RenditionFacts sample_facts() {
  const auto modified = std::chrono::system_clock::time_point(std::chrono::seconds(784111777));
  return {"\"tag\"", "public, max-age=7", modified};
}

void append(base::SharedBody& body, std::string_view text) {
  body.append(std::as_bytes(std::span(text)));
}

void start(service::Rendition& rendition, int width, int height) {
  rendition.body()->start(base::BodyHead{"image/webp", width, height, 1});
}

service::OpenedRendition finished_rendition(std::string_view content_type, std::string_view content,
                                            service::CacheOutcome outcome) {
  auto rendition = pending_rendition();
  rendition->body()->start(base::BodyHead{std::string(content_type), 300, 169, 1});
  append(*rendition->body(), content);
  rendition->body()->complete();
  rendition->set_validated_at(std::chrono::steady_clock::now() - std::chrono::milliseconds(5500));
  auto reader = rendition->body()->attach();
  return {std::move(rendition), std::move(reader), outcome};
}

FakeBackend::FakeBackend() {
  pool_.name = "image";
  pool_.workers_min = 1;
  pool_.workers_max = 2;
  pool_.workers_limit = 32;
  pool_.policy = "little";
  pool_.recommendation.verdict = "raise the cap";
  pool_.recommendation.workers = 6;
}

void FakeBackend::hold_orders() {
  base::MutexLock lock(mutex_);
  holds_ = true;
}

void FakeBackend::hide_facts() {
  base::MutexLock lock(mutex_);
  hides_facts_ = true;
}

FakeBackend::Order FakeBackend::next_order() {
  base::MutexLock lock(mutex_);
  while (orders_.empty()) ordered_.wait(mutex_);
  Order order = std::move(orders_.front());
  orders_.erase(orders_.begin());
  return order;
}

void FakeBackend::fail_with(base::Error error) {
  base::MutexLock lock(mutex_);
  error_ = std::move(error);
}

service::TransformSpec FakeBackend::last_spec() const {
  base::MutexLock lock(mutex_);
  return specs_.at(specs_.size() - 1);
}

std::string FakeBackend::last_via() const {
  base::MutexLock lock(mutex_);
  return last_via_;
}

int FakeBackend::opened() const {
  base::MutexLock lock(mutex_);
  return static_cast<int>(specs_.size());
}

void FakeBackend::set_content(std::string content) {
  base::MutexLock lock(mutex_);
  content_ = std::move(content);
}

void FakeBackend::set_service_time(double seconds) {
  base::MutexLock lock(mutex_);
  pool_.service_p50 = pool_.service_p95 = pool_.service_p99 = seconds;
}

void FakeBackend::keep_finished() {
  base::MutexLock lock(mutex_);
  keeps_ = true;
}

int FakeBackend::found_again() const {
  base::MutexLock lock(mutex_);
  return found_again_;
}

void FakeBackend::set_outcome(service::CacheOutcome outcome) {
  base::MutexLock lock(mutex_);
  outcome_ = outcome;
}

std::vector<service::OpenedRendition> FakeBackend::open(const service::TransformSpec& spec, base::Deadline,
                                                        const std::string& via) {
  base::MutexLock lock(mutex_);
  specs_.push_back(spec);
  last_via_ = via;
  Order order{spec, {}};
  std::vector<service::OpenedRendition> opened;
  for (std::size_t i = 0; i < spec.render.sizes.size(); ++i) {
    if (!holds_ && !error_) {
      opened.push_back(finished_rendition("image/webp", content_, outcome_));
      if (keeps_) kept_[service::rendition_key(spec, i)] = opened.back().rendition;
      continue;
    }
    auto rendition = pending_rendition();
    if (hides_facts_) rendition->set_facts({});
    if (error_) rendition->body()->fail(*error_);
    order.renditions.push_back(rendition);
    auto reader = rendition->body()->attach();
    opened.push_back({std::move(rendition), std::move(reader), outcome_});
  }
  if (holds_) {
    orders_.push_back(std::move(order));
    ordered_.notify_all();
  }
  return opened;
}

std::vector<service::OpenedRendition> FakeBackend::open_fresh(const std::vector<std::string>& keys) {
  base::MutexLock lock(mutex_);
  std::vector<service::OpenedRendition> opened;
  for (const std::string& key : keys) {
    const auto kept = kept_.find(key);
    if (kept == kept_.end()) return {};
    opened.push_back({kept->second, kept->second->body()->attach(), service::CacheOutcome::kHit});
  }
  found_again_ += static_cast<int>(opened.size());
  return opened;
}

service::OpenedRendition FakeBackend::open_info(const source::SourceLocator& source, base::Deadline,
                                                const std::string& via) {
  base::MutexLock lock(mutex_);
  specs_.push_back(service::TransformSpec{source, {}});
  last_via_ = via;
  return finished_rendition("application/json", R"({"width":300})");
}

void FakeBackend::run_short_of_memory() {
  base::MutexLock lock(mutex_);
  is_short_of_memory_ = true;
}

bool FakeBackend::is_short_of_memory() const {
  base::MutexLock lock(mutex_);
  return is_short_of_memory_;
}

service::OpenedRendition FakeBackend::open_original(const source::SourceLocator& source, base::Deadline,
                                                    const std::string& via) {
  base::MutexLock lock(mutex_);
  specs_.push_back(service::TransformSpec{source, {}});
  last_via_ = via;
  return finished_rendition("image/tiff", "original");
}

service::ServiceFigures FakeBackend::figures() const {
  service::ServiceFigures figures;
  figures.cache_hits = 11;
  return figures;
}

void FakeBackend::purge(const std::vector<service::TransformSpec>& specs, Purged purged) {
  std::string line = "rendition " + specs.at(0).source.canonical();
  for (const auto& spec : specs) {
    for (const auto& size : spec.render.sizes) line += " " + std::to_string(size.width);
    if (spec.render.format) line += media::name_of(*spec.render.format);
  }
  note_purge(std::move(line), purged);
}

void FakeBackend::purge_info(const source::SourceLocator& source, Purged purged) {
  note_purge("info " + source.canonical(), purged);
}

void FakeBackend::purge_source(const source::SourceLocator& source, Purged purged) {
  note_purge("source " + source.canonical(), purged);
}

void FakeBackend::purge_all(Purged purged) {
  note_purge("all", purged);
}

void FakeBackend::note_purge(std::string line, const Purged& purged) {
  base::Status status;
  {
    base::MutexLock lock(mutex_);
    purges_.push_back(std::move(line));
    status = purge_status_;
  }
  purged(status);
}

std::vector<std::string> FakeBackend::purges() const {
  base::MutexLock lock(mutex_);
  return purges_;
}

void FakeBackend::fail_purges(base::Error error) {
  base::MutexLock lock(mutex_);
  purge_status_ = base::fail(std::move(error));
}

std::vector<service::PoolFigures> FakeBackend::pools() const {
  base::MutexLock lock(mutex_);
  return {pool_};
}

std::optional<std::vector<service::PoolDecision>> FakeBackend::decisions(std::string_view pool) const {
  if (pool != "image") return std::nullopt;
  return std::vector<service::PoolDecision>{{1.5, 1, 3, 1, 2, "three wait"}};
}

base::Status FakeBackend::set_pool_limits(std::string_view, int workers_min, int workers_max) {
  if (workers_min > workers_max) {
    return base::fail(base::ErrorCode::kInvalidParameter, "workers_min: more than workers_max.");
  }
  base::MutexLock lock(mutex_);
  pool_.workers_min = workers_min;
  pool_.workers_max = workers_max;
  return {};
}

}  // namespace optimux::server
