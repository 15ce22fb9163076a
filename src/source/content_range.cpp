#include "source/content_range.hpp"

#include "base/text.hpp"

namespace optimux::source {
namespace {

constexpr std::string_view kUnit = "bytes ";

std::optional<std::uint64_t> parse_count(std::string_view digits) {
  return base::parse_number<std::uint64_t>(digits);
}

}  // namespace

std::string ByteRange::field() const {
  return "bytes=" + std::to_string(first) + "-" + std::to_string(first + count - 1);
}

std::optional<ContentRange> parse_content_range(std::string_view value) {
  if (!base::equals_ignoring_case(value.substr(0, kUnit.size()), kUnit)) return std::nullopt;
  value.remove_prefix(kUnit.size());
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto total = parse_count(value.substr(slash + 1));
  if (!total) return std::nullopt;
  const std::string_view part = value.substr(0, slash);
  if (part == "*") return ContentRange{std::nullopt, *total};
  const std::size_t dash = part.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_count(part.substr(0, dash));
  const auto last = parse_count(part.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= *total) return std::nullopt;
  return ContentRange{ByteRange{*first, *last - *first + 1}, *total};
}

}  // namespace optimux::source
