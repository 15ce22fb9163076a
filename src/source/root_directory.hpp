#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "source/descriptor.hpp"

namespace optimux::source {

/// A folder with no way out: opens regular files below it, and nothing else, whatever the key says.
///
/// Refused, all as kNotFound: `..` as a component, absolute keys, NUL, symbolic links that lead out of the folder or
/// are absolute, links of procfs, and everything that is no regular file. Symbolic links between places inside the
/// folder are followed where the kernel has openat2(2) (Linux 5.6); elsewhere no link is followed at all.
class RootDirectory {
 public:
  /// How keys are resolved. Tests choose; others leave it to the kernel.
  enum class Resolution {
    kKernel,  ///< openat2(RESOLVE_BENEATH), or `kWalk` where the kernel or a sandbox does not let us.
    kWalk,    ///< Component by component, each opened with O_NOFOLLOW.
  };

  /// No folder: every key is kNotFound.
  RootDirectory() = default;

  /// `path` is a folder that exists. It is opened anew for each file, so that it may be replaced while the process
  /// runs. Errors: kInvalidParameter when it is no folder that can be searched. Blocks for as long as the disk does.
  static base::Result<RootDirectory> make(std::string path, Resolution resolution = Resolution::kKernel);

  /// Opens the regular file `key` for reading, without blocking on FIFOs or devices. Errors: kNotFound, also for files
  /// that may not be read; kInternal when the process lacks descriptors or memory. Blocks for as long as the disk does.
  /// Any thread.
  base::Result<Descriptor> open(std::string_view key) const;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Resolution resolution_ = Resolution::kKernel;
};

}  // namespace optimux::source
