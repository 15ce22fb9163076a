#pragma once

#include "base/result.hpp"
#include "media/render_spec.hpp"

#include <sys/types.h>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace optimux::apps {

/// One source of the command.
struct Input {
  enum class Kind { kFile, kUrl, kStandardInput };
  Kind kind = Kind::kFile;
  std::string name;              ///< The path or URL as it was given or found; `-` for standard input.
  std::filesystem::path folder;  ///< Below the output folder: where it was below the folder that was given.
  std::string file_name;         ///< Last part of the path or URL; never empty, holds no slash.
  std::string stem;              ///< The same without its extension; never empty.
};

/// Which file a file is, whatever its names. Symbolic links are followed.
using FileIdentity = std::pair<dev_t, ino_t>;

struct InputList {
  std::vector<Input> inputs;
  std::set<FileIdentity> identities;  ///< Of all files among the inputs, and of standard input if that is a file.
  std::size_t passed_over = 0;        ///< Files in folders whose names are not those of images.
  std::size_t results = 0;            ///< Files in the output folder that are named like results, and left out.
  bool has_folder = false;            ///< Whether one of the arguments was a folder.
  bool has_output = false;            ///< Whether one of the arguments was the output folder.
};

struct InputOptions {
  bool recursive = false;        ///< Descend into the folders below those that were given.
  std::filesystem::path output;  ///< Not searched for inputs when it lies in one of the folders that were given.
  /// When the output folder is itself one of them, files in it that are named after this format are results.
  std::optional<media::Format> format;
};

/// Finds the inputs that `arguments` stand for: files as they are, `http://` and `https://` URLs, `-` for standard
/// input, and folders for the images in them: by the extensions of formats that are read, hidden ones left out, sorted
/// by name. Links to files are followed, links to folders below those given are not, so that a search always ends. A
/// file that is missing is still an input: it fails on its own later. Errors: kInvalidParameter when `-` is given
/// twice. Blocks on the file system.
base::Result<InputList> find_inputs(std::span<const std::string> arguments, const InputOptions& options);

/// The identity of a path or of an open descriptor; nothing (a pair of zeros) where there is no such file.
FileIdentity identity_of(const std::filesystem::path& path);
FileIdentity identity_of(int descriptor);

}  // namespace optimux::apps
