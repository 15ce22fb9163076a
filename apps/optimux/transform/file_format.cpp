#include "apps/optimux/transform/file_format.hpp"

#include "base/text.hpp"
#include "media/sniff.hpp"
#include "source/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace optimux::apps {

using media::Format;

std::optional<Format> format_of_name(const std::filesystem::path& path) {
  constexpr std::pair<std::string_view, Format> kExtensions[] = {
      {".jpg", Format::kJpeg},  {".jpeg", Format::kJpeg}, {".jpe", Format::kJpeg}, {".png", Format::kPng},
      {".webp", Format::kWebp}, {".avif", Format::kAvif}, {".gif", Format::kGif},  {".heic", Format::kHeic},
      {".heif", Format::kHeic}, {".tif", Format::kTiff},  {".tiff", Format::kTiff}};
  const std::string extension = base::to_lower(path.extension().string());
  for (const auto& [known, format] : kExtensions) {
    if (known == extension) return format;
  }
  return std::nullopt;
}

std::optional<Format> format_of_file(const std::filesystem::path& path) {
  constexpr std::size_t kBytesLookedAt = 256;  // The brands of an HEIF file end before.
  // Without waiting, for the case that it is a pipe.
  const source::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::array<std::byte, kBytesLookedAt> bytes{};
  const ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  if (count < 0) return std::nullopt;
  const auto format = media::sniff(std::span(bytes).first(static_cast<std::size_t>(count)));
  return format ? std::optional(*format) : std::nullopt;
}

}  // namespace optimux::apps
