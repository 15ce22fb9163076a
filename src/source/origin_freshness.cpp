#include "source/origin_freshness.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/http_date.hpp"
#include "base/text.hpp"

namespace optimux::source {
namespace {

using std::chrono::seconds;

// Longer times are as good as this one (RFC 9111, section 1.2.2).
constexpr std::int64_t kLongestSeconds = 2'147'483'648;

/// One directive of a `Cache-Control` field.
struct Directive {
  std::string name;  ///< In lower case.
  std::string_view value;
};

/// The end of the directive that begins `text`: its comma, which may not stand in quotes, or the end.
std::size_t end_of_directive(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (text[i] == ',' && !is_quoted) {
      return i;
    }
  }
  return text.size();
}

std::string_view without_quotes(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

Directive take_directive(std::string_view& list) {
  const std::size_t end = end_of_directive(list);
  const std::string_view text = base::trim(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  const std::size_t equals = text.find('=');
  Directive directive{base::to_lower(base::trim(text.substr(0, equals))), {}};
  if (equals != std::string_view::npos) directive.value = without_quotes(base::trim(text.substr(equals + 1)));
  return directive;
}

/// A number of seconds (RFC 9111, section 1.2.2); nothing if it is none.
std::optional<seconds> parse_delta(std::string_view text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) return std::nullopt;
  return seconds(std::min(base::parse_number<std::int64_t>(text).value_or(kLongestSeconds), kLongestSeconds));
}

/// The shorter of two that contradict each other (RFC 9111, section 4.2.1); what is no number counts as stale.
void shorten(std::optional<seconds>& lifetime, std::string_view value) {
  const seconds named = parse_delta(value).value_or(seconds(0));
  lifetime = lifetime ? std::min(*lifetime, named) : named;
}

/// What `Cache-Control` says.
struct CacheControl {
  bool forbids_keeping = false;
  bool must_revalidate = false;
  bool is_to_be_asked = false;
  std::optional<seconds> max_age;
  std::optional<seconds> shared_max_age;
};

// A `private` or `no-cache` for some fields alone is taken for one of the whole, which is always allowed.
CacheControl read_cache_control(std::string_view list) {
  CacheControl control;
  while (!list.empty()) {
    const auto [name, value] = take_directive(list);
    if (name == "no-store" || name == "private") control.forbids_keeping = true;
    if (name == "no-cache") control.is_to_be_asked = true;
    if (name == "must-revalidate" || name == "proxy-revalidate") control.must_revalidate = true;
    if (name == "max-age") shorten(control.max_age, value);
    if (name == "s-maxage") shorten(control.shared_max_age, value);
  }
  return control;
}

std::optional<seconds> time_until_expiry(const FreshnessFields& fields, std::chrono::system_clock::time_point now) {
  if (fields.expires.empty()) return std::nullopt;
  const auto expires = base::parse_http_date(fields.expires);
  if (!expires) return seconds(0);  // `0` and `-1` among them.
  return std::chrono::floor<seconds>(*expires - base::parse_http_date(fields.date).value_or(now));
}

bool varies_by_everything(std::string_view vary) {
  const auto names = base::split(vary, ',');
  return std::any_of(names.begin(), names.end(), [](std::string_view name) { return base::trim(name) == "*"; });
}

}  // namespace

std::chrono::milliseconds OriginFreshness::lifetime_or(std::chrono::milliseconds own) const {
  if (!lifetime) return own;
  return is_upper_bound ? std::min<std::chrono::milliseconds>(*lifetime, own) : *lifetime;
}

void OriginFreshness::limit_by_redirect(const OriginFreshness& redirect, bool is_permanent) {
  may_be_kept = may_be_kept && redirect.may_be_kept;
  must_revalidate = must_revalidate || redirect.must_revalidate;
  if (!redirect.lifetime) {
    is_upper_bound = is_upper_bound || !is_permanent;
    return;
  }
  // What the answer itself does not say is still the asker's to decide, within the redirect's time.
  is_upper_bound = is_upper_bound || !lifetime;
  lifetime = lifetime ? std::min(*lifetime, *redirect.lifetime) : *redirect.lifetime;
}

OriginFreshness read_freshness(const FreshnessFields& fields, std::chrono::system_clock::time_point now) {
  const CacheControl control = read_cache_control(fields.cache_control);
  OriginFreshness freshness;
  freshness.may_be_kept = !control.forbids_keeping;
  freshness.must_revalidate = control.must_revalidate || control.shared_max_age || control.is_to_be_asked;
  freshness.lifetime = control.shared_max_age ? control.shared_max_age : control.max_age;
  if (!freshness.lifetime) freshness.lifetime = time_until_expiry(fields, now);
  if (control.is_to_be_asked || varies_by_everything(fields.vary)) freshness.lifetime = seconds(0);
  if (!freshness.lifetime) return freshness;
  const seconds age = fields.age.empty() ? seconds(0) : parse_delta(fields.age).value_or(seconds(kLongestSeconds));
  freshness.lifetime = std::max(*freshness.lifetime - age, seconds(0));
  return freshness;
}

}  // namespace optimux::source
