#include "http/conditional.hpp"

#include "base/http_date.hpp"
#include "base/text.hpp"

namespace optimux::http {
namespace {

std::string_view opaque_tag(std::string_view etag) {
  return etag.starts_with("W/") ? etag.substr(2) : etag;
}

/// Takes one entity tag off the front of `list`, with `W/` cut off; nothing when there is none.
std::optional<std::string_view> take_tag(std::string_view& list) {
  list = opaque_tag(list);
  if (!list.starts_with('"')) return std::nullopt;
  const std::size_t end = list.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view tag = list.substr(0, end + 1);
  list = base::trim(list.substr(end + 1));
  return tag;
}

}  // namespace

bool etag_list_matches(std::string_view list, std::string_view etag) {
  list = base::trim(list);
  if (list == "*") return true;
  while (!list.empty()) {
    const auto tag = take_tag(list);
    if (!tag) return false;
    if (*tag == opaque_tag(etag)) return true;
    if (!list.empty() && !list.starts_with(',')) return false;
    while (list.starts_with(',')) list = base::trim(list.substr(1));
  }
  return false;
}

bool names_etag(const Headers& request, std::string_view etag) {
  const std::string list = request.joined("If-None-Match");
  return !etag.empty() && base::trim(list) != "*" && etag_list_matches(list, etag);
}

bool is_not_modified(const Headers& request, std::string_view etag,
                     std::optional<std::chrono::system_clock::time_point> last_modified) {
  if (request.has("If-None-Match")) return !etag.empty() && etag_list_matches(request.joined("If-None-Match"), etag);
  const auto since_text = request.find("If-Modified-Since");
  if (!since_text || !last_modified) return false;
  const auto since = base::parse_http_date(*since_text);
  return since && std::chrono::floor<std::chrono::seconds>(*last_modified) <= *since;
}

}  // namespace optimux::http
