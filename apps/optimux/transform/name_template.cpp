#include "apps/optimux/transform/name_template.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace optimux::apps {
namespace {

tl::unexpected<base::Error> invalid(std::string_view text, std::string_view reason) {
  return base::fail(base::ErrorCode::kInvalidParameter,
                    "name template '" + std::string(text) + "': " + std::string(reason));
}

bool climbs(const std::filesystem::path& path) {
  return std::find(path.begin(), path.end(), "..") != path.end();
}

}  // namespace

std::optional<NameTemplate::Field> NameTemplate::field_named(std::string_view name) {
  constexpr std::pair<std::string_view, Field> kFields[] = {
      {"name", Field::kName},   {"stem", Field::kStem},   {"ext", Field::kExtension}, {"size", Field::kSize},
      {"index", Field::kIndex}, {"width", Field::kWidth}, {"height", Field::kHeight}};
  for (const auto& [field_name, field] : kFields) {
    if (field_name == name) return field;
  }
  return std::nullopt;
}

base::Result<NameTemplate> NameTemplate::parse(std::string_view text) {
  if (text.empty() || text.ends_with('/')) return invalid(text, "there is no file name");
  if (text.starts_with('/')) return invalid(text, "it must be relative to the output folder");
  if (climbs(text)) return invalid(text, "'..' would leave the output folder");
  NameTemplate result;
  for (std::string_view rest = text; !rest.empty();) {
    const auto open = rest.find('{');
    if (open != 0) result.pieces_.push_back({Field::kText, std::string(rest.substr(0, open))});
    if (open == std::string_view::npos) break;
    const auto close = rest.find('}', open);
    if (close == std::string_view::npos) return invalid(text, "a brace is not closed");
    const auto field = field_named(rest.substr(open + 1, close - open - 1));
    if (!field) return invalid(text, "in braces are known: name, stem, ext, size, index, width, height");
    result.pieces_.push_back({*field, {}});
    rest.remove_prefix(close + 1);
  }
  return result;
}

std::optional<std::string> NameTemplate::value_of(const Piece& piece, const NameValues& values) {
  switch (piece.field) {
    case Field::kText: return piece.text;
    case Field::kName: return values.name;
    case Field::kStem: return values.stem;
    case Field::kExtension: return values.extension;
    case Field::kSize: return values.size;
    case Field::kIndex: return std::to_string(values.index);
    case Field::kWidth:
      return values.dimensions ? std::optional(std::to_string(values.dimensions->first)) : std::nullopt;
    case Field::kHeight: break;
  }
  return values.dimensions ? std::optional(std::to_string(values.dimensions->second)) : std::nullopt;
}

std::optional<std::string> NameTemplate::fill(const NameValues& values) const {
  std::string name;
  for (const Piece& piece : pieces_) {
    const auto value = value_of(piece, values);
    if (!value) return std::nullopt;
    name += *value;
  }
  return name;
}

}  // namespace optimux::apps
