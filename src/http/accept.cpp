#include "http/accept.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "http/headers.hpp"

namespace optimux::http {
namespace {

/// `qvalue` of RFC 9110 section 12.4.2: 0 to 1 with up to three decimals, in thousandths.
std::optional<int> parse_quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int thousandths = (text[0] - '0') * 1000;
  int weight = 100;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (digit < '0' || digit > '9') return std::nullopt;
    thousandths += (digit - '0') * weight;
    weight /= 10;
  }
  return thousandths <= 1000 ? std::optional(thousandths) : std::nullopt;
}

bool is_media_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view type = text.substr(0, slash);
  const std::string_view subtype = text.substr(slash + 1);
  return is_token(type) && is_token(subtype) && (type != "*" || subtype == "*");
}

}  // namespace

Accept::Accept(std::string_view field) {
  for (const std::string_view part : base::split(field, ',')) {
    const auto pieces = base::split(part, ';');
    const std::string_view type = base::trim(pieces[0]);
    if (!is_media_range(type)) continue;
    std::optional<int> quality = 1000;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const std::string_view parameter = base::trim(pieces[i]);
      if (parameter.starts_with("q=") || parameter.starts_with("Q="))
        quality = parse_quality(base::trim(parameter.substr(2)));
    }
    if (quality) ranges_.push_back(Range{base::to_lower(type), *quality});
  }
}

const Accept::Range* Accept::find(std::string_view type) const {
  const auto found =
      std::find_if(ranges_.begin(), ranges_.end(), [type](const Range& range) { return range.type == type; });
  return found == ranges_.end() ? nullptr : &*found;
}

int Accept::quality(std::string_view type) const {
  if (ranges_.empty()) return 1000;
  const std::string exact = base::to_lower(type);
  const std::string any_subtype = exact.substr(0, exact.find('/')) + "/*";
  for (const std::string_view candidate :
       {std::string_view(exact), std::string_view(any_subtype), std::string_view("*/*")}) {
    if (const Range* range = find(candidate)) return range->quality;
  }
  return 0;
}

int Accept::named_quality(std::string_view type) const {
  const Range* range = find(base::to_lower(type));
  return range == nullptr ? 0 : range->quality;
}

}  // namespace optimux::http
