#include "service/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace optimux::service {
namespace {

constexpr std::size_t kComparedBytes = 64;  // a client chooses the length, so it must not choose the work

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view given, std::span<const std::string_view> names) {
  const std::string wanted = base::to_lower(given.substr(0, kComparedBytes));
  std::string_view nearest;
  std::size_t smallest = wanted.size() + kComparedBytes;
  for (const auto name : names) {
    const std::size_t distance = edit_distance(wanted, base::to_lower(name));
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    if (distance < smallest && distance <= allowed) {
      smallest = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace optimux::service
