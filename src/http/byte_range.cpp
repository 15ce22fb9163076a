#include "http/byte_range.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.hpp"

namespace optimux::http {
namespace {

using Verdict = RangeSelection::Verdict;

constexpr RangeSelection kWhole = {Verdict::kWhole, {}};
constexpr RangeSelection kUnsatisfiable = {Verdict::kUnsatisfiable, {}};

/// A decimal number; the largest one for what is larger, since no representation reaches that far.
std::optional<std::uint64_t> read_position(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number = 0;
  for (const char digit : digits) {
    const auto value = static_cast<std::uint64_t>(digit - '0');
    if (number > (kMost - value) / 10) return kMost;
    number = number * 10 + value;
  }
  return number;
}

/// The last `digits` bytes.
RangeSelection select_suffix(std::string_view digits, std::uint64_t size) {
  const auto length = read_position(digits);
  if (!length) return kWhole;
  if (*length == 0 || size == 0) return kUnsatisfiable;
  return {Verdict::kPart, {size - std::min(*length, size), size - 1}};
}

RangeSelection select_one(std::string_view range, std::uint64_t size) {
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return kWhole;
  const std::string_view first_digits = range.substr(0, dash);
  const std::string_view last_digits = range.substr(dash + 1);
  if (first_digits.empty()) return select_suffix(last_digits, size);
  const auto first = read_position(first_digits);
  const auto last = last_digits.empty() ? std::numeric_limits<std::uint64_t>::max() : read_position(last_digits);
  if (!first || !last || *last < *first) return kWhole;
  if (*first >= size) return kUnsatisfiable;
  return {Verdict::kPart, {*first, std::min(*last, size - 1)}};
}

}  // namespace

RangeSelection select_range(const Headers& request, std::string_view etag, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!request.has("Range")) return kWhole;
  if (request.has("If-Range") && (etag.empty() || base::trim(request.joined("If-Range")) != etag)) return kWhole;
  const std::string joined = request.joined("Range");
  const std::string_view field = base::trim(joined);
  if (base::to_lower(field.substr(0, kUnit.size())) != kUnit) return kWhole;
  return select_one(base::trim(field.substr(kUnit.size())), size);
}

std::string content_range(const ByteRange& part, std::uint64_t size) {
  return "bytes " + std::to_string(part.first) + '-' + std::to_string(part.last) + '/' + std::to_string(size);
}

std::string unsatisfied_range(std::uint64_t size) {
  return "bytes */" + std::to_string(size);
}

}  // namespace optimux::http
