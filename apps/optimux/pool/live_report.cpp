#include "apps/optimux/pool/live_report.hpp"

#include "base/text.hpp"

#include <nlohmann/json.hpp>

namespace optimux::apps {
namespace {

using nlohmann::ordered_json;

// A field that is missing or of another type throws; turned into an error in one place.
template <class Make>
base::Result<std::string> from_pools(const std::string& pools, Make make) {
  try {
    std::string text;
    const ordered_json document = ordered_json::parse(pools);
    for (const auto& pool : document.at("pools")) make(pool, text);
    return text;
  } catch (const nlohmann::json::exception& error) {
    return base::fail(base::ErrorCode::kInvalidParameter, "this is no answer of a server's GET /pools", error.what());
  }
}

std::string number(const ordered_json& pool, const char* field) {
  return std::to_string(pool.at(field).get<int>());
}

std::string counted(const ordered_json& pool, const char* field, const std::string& noun) {
  const std::string count = number(pool, field);
  return count + " " + noun + (count == "1" ? "" : "s");
}

// The words of whoever answers at that address.
std::string words(const ordered_json& object, const char* field) {
  return base::printable(object.at(field).get<std::string>());
}

void add_text(const ordered_json& pool, std::string& text) {
  const ordered_json& advice = pool.at("recommendation");
  text += words(pool, "name") + ": " + words(advice, "verdict") + "\n  " + counted(pool, "live", "worker") + " of " +
          number(pool, "workers_min") + " to " + number(pool, "workers_max") + ", " +
          counted(pool, "in_flight", "job") + " in flight, " + number(pool, "queue_depth") + " waiting" +
          (advice.at("gated").get<bool>() ? "; the gate is closed" : "") + "\n  " + words(advice, "text") + '\n';
}

}  // namespace

base::Result<std::string> recommendations_text(const std::string& pools) {
  return from_pools(pools, add_text);
}

base::Result<std::string> recommendations_json(const std::string& pools) {
  ordered_json list = ordered_json::array();
  auto status = from_pools(pools, [&](const ordered_json& pool, std::string&) {
    list.push_back({{"name", pool.at("name")}, {"recommendation", pool.at("recommendation")}});
  });
  if (!status) return status;
  return ordered_json{{"pools", std::move(list)}}.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace optimux::apps
