#pragma once

#include <cstdint>
#include <memory>

#include "source/pending_reads.hpp"
#include "source/ranged_source.hpp"
#include "source/reactor.hpp"
#include "source/root_directory.hpp"

namespace optimux::source {

struct FileRangedSettings {
  RootDirectory root;                          ///< The folder that keys are looked up in.
  std::uint64_t max_video_bytes = 8ull << 30;  ///< Larger files are kSourceTooLarge.
};

/// Local files below a root folder, read in parts. They are opened and read through the runner, off the event loop, and
/// have a descriptor. What a key may lead to, and how failures are told, is as in `FileSource`.
class FileRangedSource final : public RangedSource {
 public:
  /// `reactor` must outlive the source; `runner` may hold work of this source for longer than the source lives.
  FileRangedSource(FileRangedSettings settings, Reactor& reactor, BlockingRunner runner);
  /// In the loop's thread, or after the loop has ended: what is under way ends with kShuttingDown before it returns.
  /// Files that are open keep their descriptors.
  ~FileRangedSource() override;

  void open(FetchRequest request, OpenCallback callback) override;

 private:
  const std::shared_ptr<const FileRangedSettings> settings_;
  const std::shared_ptr<PendingOpens> opens_;
  const std::shared_ptr<PendingReads> reads_;
  const BlockingRunner runner_;
};

}  // namespace optimux::source
