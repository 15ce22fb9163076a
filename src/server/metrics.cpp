#include "server/metrics.hpp"

#include <map>
#include <utility>
#include <vector>

#include <prometheus/client_metric.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "server/process_figures.hpp"

namespace optimux::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

/// From a cached answer to the longest deadline, in seconds.
const prometheus::Histogram::BucketBoundaries kDurationBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                                  0.25,   0.5,   1,      2.5,   5,    10,    30};

/// Collects the metrics that are asked for when somebody looks.
class Page {
 public:
  using Labels = std::vector<ClientMetric::Label>;

  void gauge(const std::string& name, const std::string& help, double value, Labels labels = {}) {
    add(name, help, MetricType::Gauge, std::move(labels)).gauge.value = value;
  }
  void counter(const std::string& name, const std::string& help, double value, Labels labels = {}) {
    add(name, help, MetricType::Counter, std::move(labels)).counter.value = value;
  }
  std::vector<MetricFamily> take() { return std::move(families_); }

 private:
  /// Samples of one family have to stand together, whatever the order in which they come.
  ClientMetric& add(const std::string& name, const std::string& help, MetricType type, Labels labels) {
    const auto [entry, is_new] = positions_.emplace(name, families_.size());
    if (is_new) families_.push_back(MetricFamily{name, help, type, {}});
    ClientMetric& metric = families_[entry->second].metric.emplace_back();
    metric.label = std::move(labels);
    return metric;
  }

  std::map<std::string, std::size_t> positions_;
  std::vector<MetricFamily> families_;
};

void add_pool(Page& page, const service::PoolFigures& pool) {
  const Page::Labels labels = {{"pool", pool.name}};
  const auto gauge = [&](const char* name, const char* help, double value) { page.gauge(name, help, value, labels); };
  gauge("optimux_pool_workers_min", "Lower limit of workers.", pool.workers_min);
  gauge("optimux_pool_workers_max", "Upper limit of workers.", pool.workers_max);
  gauge("optimux_pool_workers", "Workers that are there to stay.", pool.live);
  gauge("optimux_pool_workers_retiring", "Workers that end with their job.", pool.retiring);
  gauge("optimux_pool_workers_idle", "Workers without a job.", pool.idle);
  gauge("optimux_pool_jobs_in_flight", "Jobs that run.", pool.in_flight);
  gauge("optimux_pool_queue_depth", "Jobs that wait.", pool.queue_depth);
  gauge("optimux_pool_queue_capacity", "Jobs that may wait.", pool.queue_capacity);
  gauge("optimux_pool_expected_wait_seconds", "Wait of a job that comes now.", pool.expected_wait);
  gauge("optimux_pool_arrival_rate", "Jobs a second, smoothed.", pool.arrival_rate);
  gauge("optimux_pool_cpus", "CPUs that this process may use.", pool.cpus);
  const auto jobs = [&](const char* outcome, std::uint64_t count) {
    page.counter("optimux_pool_jobs_total", "Jobs by what became of them.", static_cast<double>(count),
                 {{"pool", pool.name}, {"outcome", outcome}});
  };
  jobs("accepted", pool.accepted);
  jobs("refused", pool.refused);
  jobs("done", pool.done);
  jobs("failed", pool.failed);
  jobs("cancelled", pool.cancelled);
  jobs("expired", pool.expired);
  // Not `quantile`: that label is kept for summaries.
  const auto percentile = [&](const char* name, const char* help, const char* which, double value) {
    page.gauge(name, help, value, {{"pool", pool.name}, {"percentile", which}});
  };
  percentile("optimux_pool_wait_seconds", "Recent time in the queue.", "50", pool.wait_p50);
  percentile("optimux_pool_wait_seconds", "Recent time in the queue.", "95", pool.wait_p95);
  percentile("optimux_pool_wait_seconds", "Recent time in the queue.", "99", pool.wait_p99);
  percentile("optimux_pool_service_seconds", "Recent time of a job.", "50", pool.service_p50);
  percentile("optimux_pool_service_seconds", "Recent time of a job.", "95", pool.service_p95);
  percentile("optimux_pool_service_seconds", "Recent time of a job.", "99", pool.service_p99);
}

void add_service(Page& page, const service::ServiceFigures& figures) {
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    page.counter(name, help, static_cast<double>(value));
  };
  const auto gauge = [&](const char* name, const char* help, std::uint64_t value) {
    page.gauge(name, help, static_cast<double>(value));
  };
  counter("optimux_cache_hits_total", "Renditions found in memory.", figures.cache_hits);
  counter("optimux_cache_misses_total", "Renditions found in no tier, or not fresh any more.", figures.cache_misses);
  counter("optimux_cache_stale_total", "Renditions given out past their time.", figures.stale);
  counter("optimux_cache_revalidated_total", "Renditions used again: their source has not changed.",
          figures.revalidated);
  counter("optimux_cache_evictions_total", "Renditions dropped for room.", figures.evictions);
  gauge("optimux_cache_bytes", "Memory of finished renditions.", figures.cache_bytes);
  gauge("optimux_cache_entries", "Finished renditions kept.", figures.cache_entries);
  counter("optimux_renditions_joined_total", "Requests that joined a rendition in the making.", figures.joined);
  gauge("optimux_renditions_in_flight", "Renditions in the making.", figures.in_flight);
  counter("optimux_source_fetches_total", "Source fetches started.", figures.fetches);
  counter("optimux_source_fetches_joined_total", "Source fetches saved by one on its way.", figures.fetches_joined);
  counter("optimux_source_cache_hits_total", "Fetches saved by a kept source.", figures.source_cache_hits);
  counter("optimux_source_cache_disk_hits_total", "Of these: those of sources on disk.",
          figures.source_cache_disk_hits);
  counter("optimux_source_cache_revalidated_total", "Kept sources confirmed by their origin.",
          figures.source_cache_confirmed);
  counter("optimux_source_cache_misses_total", "Sources fetched whole.", figures.source_cache_misses);
  counter("optimux_source_cache_evictions_total", "Kept sources dropped for room.", figures.source_cache_evictions);
  gauge("optimux_source_cache_bytes", "Memory of kept sources.", figures.source_cache_bytes);
  gauge("optimux_source_cache_entries", "Sources kept.", figures.source_cache_entries);
  counter("optimux_negative_cache_hits_total", "Renditions refused for a source that had just failed.",
          figures.negative_cache_hits);
  counter("optimux_renders_total", "Render jobs that ran to an end.", figures.renders);
  counter("optimux_renders_cancelled_total", "Render jobs nobody waited for any more.", figures.cancelled);
  counter("optimux_requests_refused_total", "Requests refused for load.", figures.refused);
  gauge("optimux_memory_limit_bytes", "Resident memory near which requests are refused.", figures.memory_limit);
  gauge("optimux_decoded_bytes_in_use", "Estimated memory of running renders.", figures.decoded_bytes_in_use);
  gauge("optimux_source_bytes_in_use", "Memory of sources that are fetched and not yet rendered.",
        figures.source_bytes_in_use);
}

void add_source_disk(Page& page, const service::DiskStoreFigures& disk) {
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    page.counter(name, help, static_cast<double>(value));
  };
  counter("optimux_source_disk_hits_total", "Sources found on disk.", disk.hits);
  counter("optimux_source_disk_misses_total", "Sources not found on disk.", disk.misses);
  counter("optimux_source_disk_stored_total", "Sources stored on disk.", disk.stored);
  counter("optimux_source_disk_skipped_total", "Sources that were too large for the disk.", disk.refused);
  counter("optimux_source_disk_evictions_total", "Sources on disk dropped for room, or not used for too long.",
          disk.evictions);
  counter("optimux_source_disk_damaged_total", "Sources on disk that were not what had been written.", disk.damaged);
  counter("optimux_source_disk_faults_total", "Failures of the disk: full, read-only, broken, gone.", disk.faults);
  page.gauge("optimux_source_disk_bytes", "Bytes of sources on disk.", static_cast<double>(disk.bytes));
  page.gauge("optimux_source_disk_entries", "Sources on disk.", static_cast<double>(disk.entries));
}

void add_tier(Page& page, const service::TierFigures& tier) {
  const Page::Labels labels = {{"tier", tier.name}};
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    page.counter(name, help, static_cast<double>(value), labels);
  };
  counter("optimux_tier_hits_total", "Renditions found in a tier below the memory.", tier.hits);
  counter("optimux_tier_misses_total", "Renditions not found in a tier below the memory.", tier.misses);
  counter("optimux_tier_stored_total", "Renditions stored in a tier.", tier.stored);
  counter("optimux_tier_skipped_total", "Renditions not stored: too large, or too many at once.", tier.skipped);
  counter("optimux_tier_evictions_total", "Renditions dropped for room, or not used for too long.", tier.evictions);
  counter("optimux_tier_damaged_total", "Records that were not what had been written, and were deleted.", tier.damaged);
  counter("optimux_tier_faults_total", "Failures of a tier's medium: full, read-only, broken, gone.", tier.faults);
  page.gauge("optimux_tier_bytes", "Bytes in a tier, as far as this process knows.", static_cast<double>(tier.bytes),
             labels);
  page.gauge("optimux_tier_entries", "Renditions in a tier, as far as this process knows.",
             static_cast<double>(tier.entries), labels);
}

void add_object_store(Page& page, const source::ObjectStoreFigures& figures) {
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    page.counter(name, help, static_cast<double>(value));
  };
  const auto requests = [&](const char* action, std::uint64_t value) {
    page.counter("optimux_object_store_requests_total", "Requests to the object store, repetitions not counted.",
                 static_cast<double>(value), {{"action", action}});
  };
  requests("get", figures.gets);
  requests("head", figures.heads);
  requests("put", figures.puts);
  requests("delete", figures.deletes);
  requests("list", figures.lists);
  counter("optimux_object_store_failures_total", "Requests that failed in the end.", figures.failures);
  counter("optimux_object_store_retries_total", "Attempts beyond the first of a request.", figures.retries);
  counter("optimux_object_store_breaker_opens_total", "Times that a host was given up for a while.",
          figures.breaker_opens);
  counter("optimux_object_store_breaker_refusals_total", "Attempts not made because a host had been given up.",
          figures.breaker_refusals);
  page.gauge("optimux_object_store_breakers_open", "Hosts that are given up.",
             static_cast<double>(figures.open_breakers));
}

void add_process(Page& page) {
  const ProcessFigures figures = read_process_figures();
  page.counter("process_cpu_seconds_total", "User and system CPU time.", figures.cpu_seconds);
  page.gauge("process_resident_memory_bytes", "Resident memory.", static_cast<double>(figures.resident_bytes));
  page.gauge("process_virtual_memory_bytes", "Virtual memory.", static_cast<double>(figures.virtual_bytes));
  page.gauge("process_open_fds", "Open descriptors.", static_cast<double>(figures.open_descriptors));
  page.gauge("process_max_fds", "Most descriptors that may be open.", static_cast<double>(figures.max_descriptors));
  page.gauge("process_start_time_seconds", "Start, in seconds since 1970.", figures.start_time);
  page.gauge("process_threads", "Threads.", figures.threads);
}

void add_connections(Page& page, const ConnectionFigures& connections, bool is_draining) {
  const auto busy = static_cast<double>(connections.open - connections.idle);
  page.gauge("optimux_http_connections", "Open connections.", static_cast<double>(connections.idle),
             {{"state", "idle"}});
  page.gauge("optimux_http_connections", "Open connections.", busy, {{"state", "busy"}});
  page.counter("optimux_http_connections_accepted_total", "Connections accepted.",
               static_cast<double>(connections.accepted));
  page.counter("optimux_http_connections_refused_total", "Connections answered 503 because too many were open.",
               static_cast<double>(connections.refused));
  page.counter("optimux_http_connections_closed_idle_total", "Idle connections closed to make room.",
               static_cast<double>(connections.closed_idle));
  page.gauge("optimux_draining", "1 while the server drains.", is_draining ? 1 : 0);
}

/// What the metrics of HTTP/2 are kept in; each family has one label, or none.
class Http2Counters {
 public:
  explicit Http2Counters(prometheus::Registry& registry)
      : connections_(family(registry, "optimux_http2_connections_total", "Connections that spoke HTTP/2.").Add({})),
        streams_(family(registry, "optimux_http2_streams_total", "Streams that clients opened.").Add({})),
        resets_(family(registry, "optimux_http2_resets_total", "Streams that were reset, by whom.")),
        goaways_(family(registry, "optimux_http2_goaways_total", "Connections ended from here, by reason.")) {}

  void count_connection() { connections_.Increment(); }
  void count_streams(std::uint64_t count) { streams_.Increment(static_cast<double>(count)); }
  void count_resets(const char* by, std::uint64_t count) {
    resets_.Add({{"by", by}}).Increment(static_cast<double>(count));
  }
  void count_goaway(std::string_view reason) { goaways_.Add({{"reason", std::string(reason)}}).Increment(); }

 private:
  using Family = prometheus::Family<prometheus::Counter>;

  static Family& family(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }

  prometheus::Counter& connections_;
  prometheus::Counter& streams_;
  Family& resets_;
  Family& goaways_;
};

}  // namespace

struct Metrics::Inner {
  /// The metrics of one route.
  struct RouteMetrics {
    prometheus::Counter* bytes = nullptr;
    prometheus::Histogram* duration = nullptr;
    std::map<int, prometheus::Counter*> by_status;
  };

  RouteMetrics& of(std::string_view route) {
    const auto [entry, is_new] = routes.try_emplace(std::string(route));
    if (is_new) {
      entry->second.bytes = &bytes.Add({{"route", entry->first}});
      entry->second.duration = &durations.Add({{"route", entry->first}}, kDurationBuckets);
    }
    return entry->second;
  }

  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("optimux_http_requests_total")
          .Help("Requests ended, by route and status; 499: client gone.")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& bytes =
      prometheus::BuildCounter().Name("optimux_http_response_bytes_total").Help("Body bytes sent.").Register(registry);
  prometheus::Family<prometheus::Histogram>& durations = prometheus::BuildHistogram()
                                                             .Name("optimux_http_request_duration_seconds")
                                                             .Help("From the whole request to the end of its answer.")
                                                             .Register(registry);
  prometheus::Family<prometheus::Histogram>& stages =
      prometheus::BuildHistogram()
          .Name("optimux_rendition_stage_seconds")
          .Help("Parts of the making of renditions; fetch: the source, queue: the wait for a worker.")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& by_protocol =
      prometheus::BuildCounter()
          .Name("optimux_http_protocol_requests_total")
          .Help("Requests ended, by protocol and version of TLS; none: cleartext.")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& handshakes =
      prometheus::BuildCounter()
          .Name("optimux_tls_handshakes_total")
          .Help("Connections to TLS ports by what became of their handshake.")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& certificate_ends =
      prometheus::BuildGauge()
          .Name("optimux_tls_certificate_end_seconds")
          .Help("When the certificate in use ends, in seconds since 1970.")
          .Register(registry);
  std::map<std::string, RouteMetrics, std::less<>> routes;
  Http2Counters http2{registry};
  std::map<std::pair<std::string_view, std::string_view>, prometheus::Counter*> protocols;
};

Metrics::Metrics() : inner_(std::make_unique<Inner>()) {}
Metrics::~Metrics() = default;

void Metrics::count_request(std::string_view route, int status, std::uint64_t body_bytes,
                            std::chrono::microseconds total) {
  Inner::RouteMetrics& metrics = inner_->of(route);
  prometheus::Counter*& requests = metrics.by_status[status];
  if (requests == nullptr) {
    requests = &inner_->requests.Add({{"route", std::string(route)}, {"status", std::to_string(status)}});
  }
  requests->Increment();
  metrics.bytes->Increment(static_cast<double>(body_bytes));
  metrics.duration->Observe(std::chrono::duration<double>(total).count());
}

void Metrics::count_stages(const service::RenditionTimings& timings) {
  const std::pair<const char*, std::chrono::microseconds> stages[] = {
      {"fetch", timings.fetch}, {"queue", timings.queue}, {"decode", timings.decode}, {"encode", timings.encode}};
  for (const auto& [stage, time] : stages) {
    if (time.count() == 0) continue;
    inner_->stages.Add({{"stage", stage}}, kDurationBuckets).Observe(std::chrono::duration<double>(time).count());
  }
}

void Metrics::count_http2_connection() {
  inner_->http2.count_connection();
}

void Metrics::count_http2_streams(std::uint64_t opened, std::uint64_t reset_by_client, std::uint64_t reset_by_server) {
  if (opened > 0) inner_->http2.count_streams(opened);
  if (reset_by_client > 0) inner_->http2.count_resets("client", reset_by_client);
  if (reset_by_server > 0) inner_->http2.count_resets("server", reset_by_server);
}

void Metrics::count_http2_goaway(std::string_view reason) {
  inner_->http2.count_goaway(reason);
}

void Metrics::count_protocol(std::string_view protocol, std::string_view tls) {
  prometheus::Counter*& requests = inner_->protocols[{protocol, tls}];
  if (requests == nullptr) {
    requests = &inner_->by_protocol.Add(
        {{"protocol", std::string(protocol)}, {"tls", tls.empty() ? "none" : std::string(tls)}});
  }
  requests->Increment();
}

void Metrics::count_handshake(std::string_view outcome) {
  inner_->handshakes.Add({{"outcome", std::string(outcome)}}).Increment();
}

void Metrics::set_certificate_end(std::chrono::system_clock::time_point end) {
  const std::chrono::duration<double> since_1970 = end.time_since_epoch();
  inner_->certificate_ends.Add({}).Set(since_1970.count());
}

std::string Metrics::page(const Backend& backend, const ConnectionFigures& connections, bool is_draining) const {
  Page page;
  add_connections(page, connections, is_draining);
  const service::ServiceFigures figures = backend.figures();
  add_service(page, figures);
  if (figures.source_disk) add_source_disk(page, *figures.source_disk);
  for (const auto& tier : figures.tiers) add_tier(page, tier);
  if (const auto objects = backend.object_store()) add_object_store(page, *objects);
  for (const auto& pool : backend.pools()) add_pool(page, pool);
  add_process(page);
  std::vector<MetricFamily> families = inner_->registry.Collect();
  for (MetricFamily& family : page.take()) families.push_back(std::move(family));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace optimux::server
