#include "source/xml_text.hpp"

#include <array>
#include <optional>
#include <utility>

namespace optimux::source {
namespace {

using Entity = std::pair<std::string_view, char>;
constexpr std::array<Entity, 5> kEntities = {
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};

std::string decoded(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t taken = 1;
    char character = text.front();
    for (const auto& [name, meaning] : kEntities) {
      if (text.substr(0, name.size()) != name) continue;
      taken = name.size();
      character = meaning;
      break;
    }
    result += character;
    text.remove_prefix(taken);
  }
  return result;
}

/// The raw text of the first element of that name; `document` begins behind it then.
std::optional<std::string_view> take_element(std::string_view& document, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">";
  const std::string close = "</" + std::string(name) + ">";
  const std::size_t begin = document.find(open);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = document.substr(begin + open.size());
  const std::size_t end = rest.find(close);
  if (end == std::string_view::npos) return std::nullopt;
  document = rest.substr(end + close.size());
  return rest.substr(0, end);
}

}  // namespace

std::string xml_text(std::string_view document, std::string_view name) {
  return decoded(take_element(document, name).value_or(""));
}

std::vector<std::string> xml_texts(std::string_view document, std::string_view name) {
  std::vector<std::string> texts;
  while (const auto text = take_element(document, name)) texts.push_back(decoded(*text));
  return texts;
}

}  // namespace optimux::source
