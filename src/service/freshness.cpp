#include "service/freshness.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/text.hpp"

namespace optimux::service {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

/// After a failure the source is left alone for so long: an origin that is down is not helped by more requests.
constexpr std::chrono::seconds kRest{5};

/// By how much the clocks of machines that share a cache may differ.
constexpr std::chrono::minutes kClockDifference{1};
constexpr std::chrono::hours kLongAgo{24 * 365};

bool has_directive(std::string_view cache_control, std::initializer_list<std::string_view> wanted) {
  for (const auto directive : base::split(cache_control, ',')) {
    const std::string name = base::to_lower(base::trim(directive.substr(0, directive.find('='))));
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) return true;
  }
  return false;
}

bool forbids_stale(std::string_view cache_control) {
  return has_directive(cache_control, {"no-cache", "must-revalidate", "proxy-revalidate"});
}

}  // namespace

Freshness freshness_of(const Rendition& rendition, const FreshnessLimits& limits, Rendition::TimePoint now) {
  const auto validated = rendition.validated_at();
  if (!validated) return Freshness::kStale;
  const auto age = now - *validated;
  if (age < limits.fresh) return Freshness::kFresh;
  if (forbids_stale(rendition.facts().cache_control)) return Freshness::kStale;
  if (age < limits.fresh + limits.stale_while_revalidate) return Freshness::kRefreshable;
  if (age >= limits.fresh + limits.stale_if_error) return Freshness::kStale;
  return should_rest(rendition, now) ? Freshness::kRefreshable : Freshness::kFallback;
}

bool should_rest(const Rendition& rendition, Rendition::TimePoint now) {
  const auto failed = rendition.source_failed_at();
  return failed && now - *failed < kRest;
}

bool forbids_keeping(std::string_view cache_control) {
  return has_directive(cache_control, {"no-store", "private"});
}

system_clock::time_point clock_time_of(Rendition::TimePoint moment) {
  const auto age = steady_clock::now() - moment;
  return system_clock::now() - std::chrono::duration_cast<system_clock::duration>(age);
}

Rendition::TimePoint moment_of(system_clock::time_point clock_time) {
  const auto age = system_clock::now() - clock_time;
  if (age < -kClockDifference) return steady_clock::now() - kLongAgo;
  return steady_clock::now() - std::chrono::duration_cast<steady_clock::duration>(age);
}

}  // namespace optimux::service
