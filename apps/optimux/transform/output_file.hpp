#pragma once

#include "base/result.hpp"
#include "source/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace optimux::apps {

/// What happens to a file that is there already.
enum class ExistingFile { kRefuse, kOverwrite, kSkip };

/// A file that appears under its name only once it is whole: written beside it under a hidden name and renamed. What is
/// not committed is removed. Devices and pipes (`/dev/stdout`) are written as they are. Not thread-safe; blocks on the
/// file system. All errors but kCancelled are kInternal with a detail that names the path and what the system said.
class OutputFile {
 public:
  /// Makes the folders above `path` where they are missing. A symbolic link at `path` is followed. A write that waits
  /// for the reader of a pipe ends with kCancelled when the descriptor `interrupt` becomes readable; -1 for none.
  static base::Result<OutputFile> create(const std::filesystem::path& path, int interrupt = -1);
  /// Standard output.
  static OutputFile standard_output(int interrupt = -1);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  base::Status write(std::span<const std::byte> bytes);
  /// Gives the file its name. Without `overwrite` a file that has come to be there meanwhile stays, and that is an
  /// error.
  base::Status commit(bool overwrite);
  std::uint64_t size() const { return size_; }

 private:
  OutputFile(source::Descriptor file, std::filesystem::path path, std::filesystem::path temporary, int interrupt)
      : file_(std::move(file)), path_(std::move(path)), temporary_(std::move(temporary)), interrupt_(interrupt) {}
  bool wait_writable() const;
  base::Status close();

  source::Descriptor file_;
  std::filesystem::path path_;
  std::filesystem::path temporary_;  ///< Empty when there is nothing to rename or to remove.
  int interrupt_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace optimux::apps
