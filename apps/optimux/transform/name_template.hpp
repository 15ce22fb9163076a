#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace optimux::apps {

/// What a name is filled with.
struct NameValues {
  std::string name;                               ///< Of the input, extension included.
  std::string stem;                               ///< Of the input.
  std::string size;                               ///< As it was asked for: `300x0`.
  std::size_t index = 1;                          ///< Of the size, from 1.
  std::optional<std::string> extension;           ///< As in `webp`; unset until the format is known.
  std::optional<std::pair<int, int>> dimensions;  ///< Width and height in pixels; unset until they are known.
};

/// How output files are called: text with `{name}`, `{stem}`, `{ext}`, `{size}`, `{index}`, `{width}` and `{height}` in
/// it. A slash makes folders. A value type.
class NameTemplate {
 public:
  /// Errors: kInvalidParameter for an unknown name in braces, a brace that is not closed, an empty template, one that
  /// ends with a slash, and one that leaves the folder: absolute, or with `..`.
  static base::Result<NameTemplate> parse(std::string_view text);

  /// The name, or nothing as long as it needs a value that is not known yet.
  std::optional<std::string> fill(const NameValues& values) const;

 private:
  enum class Field { kText, kName, kStem, kExtension, kSize, kIndex, kWidth, kHeight };
  struct Piece {
    Field field = Field::kText;
    std::string text;  ///< Of kText.
  };

  static std::optional<Field> field_named(std::string_view name);
  static std::optional<std::string> value_of(const Piece& piece, const NameValues& values);

  std::vector<Piece> pieces_;
};

}  // namespace optimux::apps
