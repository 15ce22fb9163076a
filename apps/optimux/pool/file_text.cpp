#include "apps/optimux/pool/file_text.hpp"

#include <fstream>
#include <iostream>
#include <istream>

namespace optimux::apps {
namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 20;

base::Result<std::string> read_all(std::istream& stream, const std::string& path) {
  std::string text(kLargestFile + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return base::fail(base::ErrorCode::kNotFound, path + " cannot be read");
  if (text.size() > kLargestFile) return base::fail(base::ErrorCode::kSourceTooLarge, path + " is larger than 64 MiB");
  return text;
}

}  // namespace

base::Result<std::string> read_text(const std::string& path) {
  if (path == "-") return read_all(std::cin, "standard input");
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::fail(base::ErrorCode::kNotFound, path + " cannot be opened");
  return read_all(file, path);
}

base::Status write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (file) return {};
  return base::fail(base::ErrorCode::kInternal, path + " cannot be written");
}

}  // namespace optimux::apps
