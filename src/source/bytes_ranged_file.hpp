#pragma once

#include <memory>

#include "source/pending_reads.hpp"
#include "source/ranged_source.hpp"

namespace optimux::source {

/// A source that is in memory as a whole, to be read in parts as others are. Reads copy.
class BytesRangedFile final : public RangedFile {
 public:
  /// `bytes` and `reads` are not null.
  BytesRangedFile(std::shared_ptr<const base::ByteBuffer> bytes, SourceFacts facts,
                  std::shared_ptr<PendingReads> reads);

  std::uint64_t size() const override { return bytes_->size(); }
  const SourceFacts& facts() const override { return facts_; }
  std::span<const std::byte> head() const override;
  void read(std::uint64_t offset, std::size_t count, base::Deadline deadline, std::stop_token stop,
            ReadCallback callback) override;

 private:
  const std::shared_ptr<const base::ByteBuffer> bytes_;
  const SourceFacts facts_;
  const std::shared_ptr<PendingReads> reads_;
};

}  // namespace optimux::source
