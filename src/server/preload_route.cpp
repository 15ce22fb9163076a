#include "server/preload_route.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "http/link.hpp"

namespace optimux::server {
namespace {

using nlohmann::json;

constexpr int kDefaultUrgency = 3;
constexpr int kLowestUrgency = 7;

struct PreloadEntry {
  std::string url;
  int urgency = kDefaultUrgency;
};

tl::unexpected<base::Error> refuse(const std::string& detail) {
  return base::fail(base::ErrorCode::kInvalidParameter, detail);
}

base::Result<PreloadEntry> read_entry(const json& value, std::size_t index) {
  const std::string where = "entry " + std::to_string(index);
  if (!value.is_object()) return refuse(where + ": not an object with url and priority");
  for (const auto& item : value.items()) {
    if (item.key() != "url" && item.key() != "priority") return refuse(where + ": has only url and priority");
  }
  PreloadEntry entry;
  const auto url = value.find("url");
  if (url == value.end() || !url->is_string() || url->get_ref<const std::string&>().empty()) {
    return refuse(where + ": url is a text and not empty");
  }
  entry.url = url->get<std::string>();
  const auto priority = value.find("priority");
  if (priority == value.end()) return entry;
  const bool in_range = priority->is_number_integer() && *priority >= 0 && *priority <= kLowestUrgency;
  if (!in_range) return refuse(where + ": priority is a whole number from 0 (most urgent) to 7");
  entry.urgency = priority->get<int>();
  return entry;
}

base::Result<std::vector<PreloadEntry>> read_list(const std::string& body, std::size_t most) {
  const json list = json::parse(body, nullptr, false);
  if (list.is_discarded() || !list.is_array()) return refuse("the body is not a JSON list");
  if (list.size() > most) return refuse("the list has more than " + std::to_string(most) + " entries");
  std::vector<PreloadEntry> entries;
  for (const json& value : list) {
    auto entry = read_entry(value, entries.size());
    if (!entry) return base::fail(entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::unique_ptr<Answer> preload(const ServerState& state, const RouteCall& call) {
  auto entries = read_list(call.request.body, call.context.settings->max_preload_entries);
  if (!entries) return problem_answer(state, call.context, entries.error());
  std::stable_sort(entries->begin(), entries->end(),
                   [](const PreloadEntry& left, const PreloadEntry& right) { return left.urgency < right.urgency; });
  http::Headers headers = {{"Cache-Control", "no-store"}};
  for (const PreloadEntry& entry : *entries) headers.add("Link", http::preload_link(entry.url));
  return empty_answer(204, std::move(headers));
}

}  // namespace

void add_preload_route(Router& router, ServerState& state) {
  router.add(
      {"preload", "/optimux/preload", false, "POST", [&state](const RouteCall& call) { return preload(state, call); }});
}

}  // namespace optimux::server
