#include "service/rendition_record.hpp"

#include <cassert>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "service/freshness.hpp"
#include "service/rendition_tag.hpp"

namespace optimux::service {
namespace {

using nlohmann::json;
using std::chrono::system_clock;

constexpr base::Phase kEndedPhases[] = {base::Phase::kHead, base::Phase::kFirst, base::Phase::kGood};

std::int64_t to_number(system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

system_clock::time_point to_time(std::int64_t nanoseconds) {
  return system_clock::time_point(
      std::chrono::duration_cast<system_clock::duration>(std::chrono::nanoseconds(nanoseconds)));
}

json phases_of(const base::PhaseEnds& ends) {
  json list = json::array();
  for (const base::Phase phase : kEndedPhases) {
    if (const auto end = ends.end_of(phase)) list.push_back(*end);
  }
  return list;
}

/// Throws what nlohmann-json throws where a field is missing or of another type.
RenditionFacts facts_of(const json& record) {
  RenditionFacts facts;
  facts.etag = record.at("etag");
  facts.cache_control = record.at("cache_control");
  if (record.contains("last_modified")) facts.last_modified = to_time(record.at("last_modified"));
  facts.source_etag = record.at("source_etag");
  facts.source_place = record.at("source_place");
  facts.source_fingerprint = record.at("source_fingerprint");
  return facts;
}

/// As above.
base::BodyHead head_of(const json& record) {
  base::BodyHead head;
  head.content_type = record.at("type");
  head.width = record.at("width");
  head.height = record.at("height");
  head.pages = record.at("pages");
  head.has_phases = record.contains("phases");
  return head;
}

/// Whether the ends rise and lie within the body, as they have to.
bool are_in_order(const std::vector<std::uint64_t>& ends, std::uint64_t size) {
  std::uint64_t before = 0;
  for (const std::uint64_t end : ends) {
    if (end < before || end > size) return false;
    before = end;
  }
  return ends.size() <= std::size(kEndedPhases);
}

/// Memory that is much larger than what it holds would be more than a cache counts.
void append(base::SharedBody& body, std::shared_ptr<const base::ByteBuffer> bytes) {
  const std::span<const std::byte> content(bytes->data(), bytes->size());
  if (bytes->capacity() - bytes->size() > bytes->size() / 8) return body.append(content);
  body.adopt(std::move(bytes));
}

std::shared_ptr<Rendition> restore(const std::string& key, const json& record,
                                   std::shared_ptr<const base::ByteBuffer> bytes) {
  if (record.at("generation").get_ref<const std::string&>() != render_generation()) return nullptr;
  const std::size_t source_size = record.at("source_size");
  if (source_size > key.size()) return nullptr;
  std::vector<std::uint64_t> ends;
  if (record.contains("phases")) ends = record.at("phases").get<std::vector<std::uint64_t>>();
  if (!are_in_order(ends, bytes->size())) return nullptr;
  auto rendition = std::make_shared<Rendition>(key, source_size);
  rendition->set_facts(facts_of(record));
  base::SharedBody& body = *rendition->body();
  body.start(head_of(record));
  for (std::size_t i = 0; i < ends.size(); ++i) body.end_phase(kEndedPhases[i], ends[i]);
  append(body, std::move(bytes));
  body.complete();
  return rendition;
}

}  // namespace

std::string encode_record(const Rendition& rendition) {
  const RenditionFacts facts = rendition.facts();
  const base::BodyHead head = rendition.body()->head().value_or(base::BodyHead{});
  json record = {{"generation", render_generation()},
                 {"source_size", rendition.source().size()},
                 {"etag", facts.etag},
                 {"cache_control", facts.cache_control},
                 {"source_etag", facts.source_etag},
                 {"source_place", facts.source_place},
                 {"source_fingerprint", facts.source_fingerprint},
                 {"type", head.content_type},
                 {"width", head.width},
                 {"height", head.height},
                 {"pages", head.pages}};
  if (facts.last_modified) record["last_modified"] = to_number(*facts.last_modified);
  if (head.has_phases) record["phases"] = phases_of(rendition.body()->phase_ends());
  std::string text;
  json::to_cbor(record, text);
  return text;
}

std::shared_ptr<Rendition> decode_record(const std::string& key, std::string_view metadata,
                                         std::shared_ptr<const base::ByteBuffer> bytes,
                                         system_clock::time_point validated_at) {
  try {
    auto rendition = restore(key, json::from_cbor(metadata), std::move(bytes));
    if (rendition) rendition->set_validated_at(moment_of(validated_at));
    return rendition;
  } catch (const json::exception&) {
    return nullptr;
  }
}

void copy_rendition(const Rendition& from, Rendition& to) {
  assert(from.body()->state() == base::SharedBody::State::kComplete && "only whole renditions are given out");
  to.set_facts(from.facts());
  if (const auto validated = from.validated_at()) to.set_validated_at(*validated);
  if (const auto failed = from.source_failed_at()) to.set_source_failed_at(*failed);
  const base::BodyHead head = from.body()->head().value_or(base::BodyHead{});
  base::SharedBody& body = *to.body();
  body.start(head);
  const base::PhaseEnds ends = from.body()->phase_ends();
  for (const base::Phase phase : kEndedPhases) {
    if (const auto end = ends.end_of(phase)) body.end_phase(phase, *end);
  }
  auto reader = from.body()->attach();
  for (auto piece = reader.peek(); !piece.empty(); piece = reader.peek()) {
    body.append_of(from.body(), piece);
    reader.consume(piece.size());
  }
  body.complete();
}

}  // namespace optimux::service
