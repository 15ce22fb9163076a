#pragma once

#include "apps/optimux/transform/input_list.hpp"
#include "apps/optimux/transform/name_template.hpp"
#include "apps/optimux/transform/outcome.hpp"
#include "apps/optimux/transform/output_file.hpp"
#include "base/result.hpp"
#include "base/shared_body.hpp"
#include "media/render_spec.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace optimux::apps {

/// Where renditions go.
struct OutputOptions {
  enum class Kind { kFile, kFolder, kStandardOutput };
  Kind kind = Kind::kFolder;
  std::filesystem::path path;
  NameTemplate name;  ///< Below a folder.
  ExistingFile existing = ExistingFile::kRefuse;
  int interrupt = -1;  ///< Descriptor that ends waiting for the reader of a pipe; -1 for none.
};

/// Decides for each rendition which file it becomes, and whether it may. Used by one thread.
class OutputPlan {
 public:
  /// `spec` is what each input is made into; `inputs` are files that must stay as they are.
  OutputPlan(OutputOptions options, const media::RenderSpec& spec, std::set<FileIdentity> inputs);

  /// The file for one size of an input. Nothing while the name depends on something that is known only once the
  /// rendition has started: then `head` is needed. Where no format was asked for and a file's own one is written, its
  /// first bytes tell the extension. Blocks on the file system.
  std::optional<std::filesystem::path> path_for(const Input& input, std::size_t size_index,
                                                const base::BodyHead* head = nullptr) const;

  enum class Verdict { kWrite, kSkip };
  /// Settles what is done with a path that a rendition is to have, and takes it. Fails with `is_input` when it is one
  /// of the inputs, `name_taken` when it has been taken before, `exists` when it is there and may not be replaced.
  /// Blocks on the file system.
  tl::expected<Verdict, Failure> claim(const std::filesystem::path& path);

  /// The size as it was asked for: `300x0`.
  std::string size_text(std::size_t size_index) const;
  /// Opens the output that has been claimed. Errors as `OutputFile::create`.
  base::Result<OutputFile> open(const std::filesystem::path& path) const;
  bool overwrites() const { return options_.existing == ExistingFile::kOverwrite; }
  bool is_standard_output() const { return options_.kind == OutputOptions::Kind::kStandardOutput; }

 private:
  std::optional<std::string> known_extension(const Input& input) const;

  const OutputOptions options_;
  const media::RenderSpec spec_;
  const std::set<FileIdentity> inputs_;
  std::set<std::filesystem::path> claimed_;
};

}  // namespace optimux::apps
