#pragma once

#include <cstdint>
#include <memory>

#include "base/buffer_stock.hpp"
#include "base/result.hpp"
#include "source/pending_fetches.hpp"
#include "source/reactor.hpp"
#include "source/root_directory.hpp"
#include "source/source.hpp"

namespace optimux::source {

struct FileSourceSettings {
  RootDirectory root;                            ///< The folder that keys are looked up in.
  std::uint64_t max_source_bytes = 64ull << 20;  ///< Larger files are kSourceTooLarge.
  std::shared_ptr<base::BufferStock> buffers;    ///< Where memory for files comes from; null: the system.
};

/// Local files below a root folder. Files are opened and read through the runner, off the event loop. A file that
/// cannot be read for whatever reason of its own (missing, no permission, a folder, a way out of the root) is
/// kNotFound; the cause tells which. kOverloaded when the runner refuses. A file that changes while it is read is
/// kOriginFailed, so that nobody sees half of the old one and half of the new one. A file's tag is made of its size,
/// its modification time and its inode; one that still has the tag that was asked with is `not_modified`, and is not
/// read.
class FileSource final : public Source {
 public:
  /// `reactor` must outlive the source; `runner` may hold work of this source for longer than the source lives.
  FileSource(FileSourceSettings settings, Reactor& reactor, BlockingRunner runner);
  /// In the loop's thread, or after the loop has ended: fetches under way end with kShuttingDown before it returns.
  ~FileSource() override;

  void fetch(FetchRequest request, FetchCallback callback) override;

 private:
  const std::shared_ptr<const FileSourceSettings> settings_;
  const std::shared_ptr<PendingFetches> pending_;
  const BlockingRunner runner_;
};

}  // namespace optimux::source
