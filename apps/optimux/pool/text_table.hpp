#pragma once

#include <string>
#include <vector>

namespace optimux::apps {

/// Lines of columns for a terminal: numbers to the right, the first column to the left where it holds names.
class TextTable {
 public:
  enum class FirstColumn { kName, kNumber };

  TextTable(std::vector<std::string> titles, FirstColumn first) : first_(first) { add(std::move(titles)); }

  /// Adds a line; as many cells as there are titles.
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  /// All lines, each with its end.
  std::string text() const;

 private:
  const FirstColumn first_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace optimux::apps
