#include "unit/source/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace optimux::source {

TemporaryFolder::TemporaryFolder() {
  std::string name = ::testing::TempDir() + "optimux-source-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::filesystem::remove_all(path_);
}

void TemporaryFolder::write(std::string_view name, std::string_view content) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace optimux::source
