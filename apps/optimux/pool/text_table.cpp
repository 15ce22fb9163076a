#include "apps/optimux/pool/text_table.hpp"

#include <algorithm>

namespace optimux::apps {

std::string TextTable::text() const {
  std::vector<std::size_t> widths(lines_.front().size(), 0);
  for (const auto& line : lines_) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines_) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - line[i].size(), ' ');
      const bool is_name = i == 0 && first_ == FirstColumn::kName;
      text += (i == 0 ? "" : "  ") + (is_name ? line[i] + padding : padding + line[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace optimux::apps
