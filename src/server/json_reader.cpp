#include "server/json_reader.hpp"

#include <utility>

namespace optimux::server {

base::Status JsonReader::read(const std::string& text, const char* malformed) {
  if (nlohmann::json::sax_parse(text, this)) return {};
  return base::fail(base::ErrorCode::kInvalidParameter, refusal_.value_or(malformed));
}

bool JsonReader::number_integer(std::int64_t number) {
  return number < 0 ? unfit() : number_unsigned(static_cast<std::uint64_t>(number));
}

bool JsonReader::number_unsigned(std::uint64_t) {
  return unfit();
}

bool JsonReader::string(std::string&) {
  return unfit();
}

bool JsonReader::start_object(std::size_t) {
  return unfit();
}

bool JsonReader::key(std::string&) {
  return unfit();
}

bool JsonReader::start_array(std::size_t) {
  return unfit();
}

bool JsonReader::refuse(std::string detail) {
  refusal_ = std::move(detail);
  return false;
}

}  // namespace optimux::server
