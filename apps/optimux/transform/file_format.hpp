#pragma once

#include "media/render_spec.hpp"

#include <filesystem>
#include <optional>

namespace optimux::apps {

/// The format that a file is named after: jpg, jpeg, jpe, png, webp, gif, avif, heic, heif, tif or tiff, in any case.
/// Nothing for any other name. Does not look at the file.
std::optional<media::Format> format_of_name(const std::filesystem::path& path);

/// The format of a file by its first bytes. Nothing where that cannot be told: no regular file, one that cannot be
/// read, no picture. Blocks on the file system.
std::optional<media::Format> format_of_file(const std::filesystem::path& path);

}  // namespace optimux::apps
