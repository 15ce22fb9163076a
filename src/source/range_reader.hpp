#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <utility>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "source/range_pieces.hpp"
#include "source/ranged_source.hpp"

namespace optimux::source {

/// Reads one file in pieces for several readers, and keeps the latest of them: what one has read is there for the next.
/// Of the loop's thread alone. Must be owned by a shared_ptr: reads may end when everybody else has gone.
class RangeReader : public std::enable_shared_from_this<RangeReader> {
 public:
  /// Pieces begin and end at multiples of this, but at the end of the file: nothing is read in crumbs.
  static constexpr std::uint64_t kGrainBytes = 64 << 10;

  struct Limits {
    std::size_t min_read_bytes = 0;  ///< Of one read, in whole grains.
    std::size_t max_read_bytes = 0;  ///< Likewise; no less.
    std::size_t kept_bytes = 0;      ///< In memory, beside the file's head.
  };

  /// Called when a read has ended, not from inside `fetch`: without an error there may be more to `find`; with one the
  /// file cannot be read.
  using News = std::function<void(const std::optional<base::Error>& error)>;

  /// `deadline` holds for all reads. `file` is not null.
  RangeReader(std::shared_ptr<RangedFile> file, base::Deadline deadline, const Limits& limits, News news);

  std::uint64_t size() const { return file_->size(); }

  /// As in `RangePieces`.
  std::span<const std::byte> find(std::uint64_t offset);

  /// Sees to it that `offset` and what follows it, up to `wanted` bytes and not far beyond `end`, is in memory soon.
  /// Does nothing as long as a read is under way that brings what is missing first. A read of more than
  /// `min_read_bytes` ends with `stop`; a smaller one is worth its end, also to the connection that it came on. Reads
  /// become smaller while the source is slow, so that none runs out of its time for its size. Returns whether one was
  /// begun.
  bool fetch(std::uint64_t offset, std::uint64_t end, std::size_t wanted, const std::stop_token& stop);

  /// Ends all reads. There is no news any more.
  void close();

  std::uint64_t reads() const { return reads_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Extent = std::pair<std::uint64_t, std::uint64_t>;  ///< From the first to behind the last byte.

  bool is_coming(std::uint64_t offset) const;
  void take(const Extent& extent, Clock::time_point begun, RangedFile::ReadResult result);

  const std::shared_ptr<RangedFile> file_;
  const base::Deadline deadline_;
  const Limits limits_;
  News news_;
  RangePieces pieces_;
  std::set<Extent> under_way_;
  std::stop_source stop_;
  std::size_t largest_read_;  ///< For now, in bytes.
  std::uint64_t reads_ = 0;   ///< That were begun.
  std::uint64_t bytes_ = 0;   ///< That they have brought.
};

}  // namespace optimux::source
