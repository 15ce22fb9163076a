#include "service/object_record.hpp"

#include <chrono>
#include <cstdint>
#include <span>

#include "base/text.hpp"
#include "service/freshness.hpp"
#include "service/rendition_record.hpp"
#include "source/object_source.hpp"

namespace optimux::service {
namespace {

using std::chrono::milliseconds;

constexpr const char* kRecord = "optimux-record";
constexpr const char* kValidated = "optimux-validated";  ///< Milliseconds since 1970.
// Of S3: names, their prefix not counted, and values.
constexpr std::size_t kMaxMetadataBytes = 2048;

std::size_t size_of(const std::map<std::string, std::string>& metadata) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : metadata) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace

std::optional<std::map<std::string, std::string>> object_metadata(const Rendition& rendition) {
  const auto validated = rendition.validated_at();
  if (!validated) return std::nullopt;
  const auto since_1970 = std::chrono::duration_cast<milliseconds>(clock_time_of(*validated).time_since_epoch());
  std::map<std::string, std::string> metadata = {{source::kProcessedMark, "1"},
                                                 {kValidated, std::to_string(since_1970.count())},
                                                 {kRecord, base::percent_encode(encode_record(rendition))}};
  if (size_of(metadata) > kMaxMetadataBytes) return std::nullopt;
  return metadata;
}

std::shared_ptr<Rendition> read_object(const std::string& key, const source::ObjectAnswer& object) {
  const auto& metadata = object.facts.metadata;
  const auto record = metadata.find(kRecord);
  const auto validated = metadata.find(kValidated);
  if (record == metadata.end() || validated == metadata.end() || !object.bytes) return nullptr;
  const auto text = base::percent_decode(record->second);
  const auto time = base::parse_number<std::int64_t>(validated->second);
  if (!text || !time) return nullptr;
  return decode_record(key, *text, object.bytes, std::chrono::system_clock::time_point(milliseconds(*time)));
}

}  // namespace optimux::service
