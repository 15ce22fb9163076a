#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace optimux::source {

/// What an origin says of keeping its answer, to a cache that many share (RFC 9111). A value type.
struct OriginFreshness {
  bool may_be_kept = true;  ///< False for `no-store` and `private`.
  /// Once it is stale it must not be used without asking, whatever happens (`must-revalidate`, `proxy-revalidate`,
  /// `s-maxage`, `no-cache`).
  bool must_revalidate = false;
  /// For how long it may be used unasked, from the arrival of the answer; 0: it is to be asked for each time. Nothing:
  /// the origin does not say, and is not guessed at.
  std::optional<std::chrono::seconds> lifetime = {};
  /// A redirect on the way to the answer may be another one any time: `lifetime` is only the longest that may be.
  bool is_upper_bound = false;

  /// For how long to use it unasked, where the asker's own rule for what nobody said is `own`.
  std::chrono::milliseconds lifetime_or(std::chrono::milliseconds own) const;
  /// Takes in what a redirect that led to the answer says of itself; `is_permanent` for 301 and 308, which hold until
  /// they say otherwise (RFC 9110, section 15.4).
  void limit_by_redirect(const OriginFreshness& redirect, bool is_permanent);
  /// Whether the origin has said anything.
  bool is_known() const { return !may_be_kept || must_revalidate || lifetime.has_value(); }
  bool operator==(const OriginFreshness&) const = default;
};

/// The header fields that tell it: their values, several of one name joined by commas, empty if there are none.
struct FreshnessFields {
  std::string cache_control;
  std::string expires;
  std::string date;
  std::string age;
  std::string vary;
};

/// Reads them. What is no valid number or date counts as stale already, as RFC 9111 recommends; `now`, the wall-clock
/// time of the answer's arrival, stands in for a missing `Date`. Every request for a source carries the same fields,
/// so `Vary` matters only where it is `*`. Pure.
OriginFreshness read_freshness(const FreshnessFields& fields, std::chrono::system_clock::time_point now);

}  // namespace optimux::source
