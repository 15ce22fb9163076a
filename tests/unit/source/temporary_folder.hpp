#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace optimux::source {

/// A fresh folder that is removed, with all that is in it, at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  std::filesystem::path path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  /// Writes a file, with the folders that it needs.
  void write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace optimux::source
