#include "http/headers.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace optimux::http {

void Headers::add(std::string_view name, std::string_view value) {
  fields_.push_back(HeaderField{std::string(name), std::string(value)});
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [name](const HeaderField& field) { return base::equals_ignoring_case(field.name, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const HeaderField& field : fields_) {
    if (base::equals_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::string Headers::joined(std::string_view name) const {
  std::string list;
  for (const HeaderField& field : fields_) {
    if (!base::equals_ignoring_case(field.name, name)) continue;
    if (!list.empty()) list += ", ";
    list += field.value;
  }
  return list;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  const std::string list = joined(name);
  for (const std::string_view item : base::split(list, ',')) {
    if (base::equals_ignoring_case(base::trim(item), token)) return true;
  }
  return false;
}

bool is_token(std::string_view name) {
  constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [kPunctuation](char c) {
    const bool is_alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return is_alphanumeric || kPunctuation.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

}  // namespace optimux::http
