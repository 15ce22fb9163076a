#include "server/logged_target.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "http/target.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kName = "image_url";
constexpr std::string_view kHidden = "?…";

/// Whether a parameter's name, as it was sent, is that of the image's URL.
bool names_url(std::string_view name) {
  if (name.find_first_of("%+") == std::string_view::npos) return name == kName;
  return base::percent_decode(name, true) == kName;
}

/// Where the query of a percent-encoded URL begins: the end, if it has none.
std::size_t find_encoded_query(std::string_view url) {
  for (std::size_t mark = url.find('%'); mark != std::string_view::npos; mark = url.find('%', mark + 1)) {
    if (base::equals_ignoring_case(url.substr(mark, 3), "%3f")) return mark;
  }
  return url.size();
}

}  // namespace

std::string logged_target(std::string_view target, std::size_t max_bytes) {
  const http::SplitTarget split = http::split_target(target);
  if (split.query.empty()) return std::string(target.substr(0, max_bytes));
  std::string shown;
  shown.reserve(target.size() + kHidden.size());
  shown += split.path;
  char separator = '?';
  for (const std::string_view part : base::split(split.query, '&')) {
    shown += std::exchange(separator, '&');
    const std::size_t equals = std::min(part.find('='), part.size());
    const bool is_url = names_url(part.substr(0, equals));
    const std::size_t plain = is_url ? part.find('?') : std::string_view::npos;
    const std::size_t end = std::min(is_url ? find_encoded_query(part) : part.size(), plain);
    shown += part.substr(0, end);
    if (end < part.size()) shown += kHidden;
    if (plain != std::string_view::npos) break;
  }
  return shown.substr(0, max_bytes);
}

}  // namespace optimux::server
