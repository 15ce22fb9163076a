#include "service/source_record.hpp"

#include <cstdint>

#include <nlohmann/json.hpp>

namespace optimux::service {
namespace {

using nlohmann::json;
using std::chrono::system_clock;

constexpr int kVersion = 1;

std::int64_t to_number(system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

system_clock::time_point to_time(std::int64_t nanoseconds) {
  return system_clock::time_point(
      std::chrono::duration_cast<system_clock::duration>(std::chrono::nanoseconds(nanoseconds)));
}

/// Throws what nlohmann-json throws where a field is missing or of another type.
source::SourceFacts facts_of(const json& record) {
  source::SourceFacts facts;
  facts.etag = record.at("etag");
  facts.cache_control = record.at("cache_control");
  facts.place = record.at("place");
  if (record.contains("last_modified")) facts.last_modified = to_time(record.at("last_modified"));
  facts.freshness.must_revalidate = record.at("must_revalidate");
  facts.freshness.is_upper_bound = record.at("is_upper_bound");
  if (record.contains("lifetime")) facts.freshness.lifetime = std::chrono::seconds(record.at("lifetime"));
  return facts;
}

}  // namespace

std::string encode_source_facts(const source::SourceFacts& facts) {
  json record = {{"version", kVersion},
                 {"etag", facts.etag},
                 {"cache_control", facts.cache_control},
                 {"place", facts.place},
                 {"must_revalidate", facts.freshness.must_revalidate},
                 {"is_upper_bound", facts.freshness.is_upper_bound}};
  if (facts.last_modified) record["last_modified"] = to_number(*facts.last_modified);
  if (facts.freshness.lifetime) record["lifetime"] = facts.freshness.lifetime->count();
  std::string text;
  json::to_cbor(record, text);
  return text;
}

std::optional<source::SourceFacts> decode_source_facts(std::string_view metadata) {
  try {
    const json record = json::from_cbor(metadata);
    if (record.at("version") != kVersion) return std::nullopt;
    return facts_of(record);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace optimux::service
