#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "source/ranged_source.hpp"
#include "unit/source/ranged_reading.hpp"

namespace optimux::source {

/// A file of any size whose byte at an offset follows from the offset; what is read of it waits until the test answers.
/// Of one thread.
class ManualRangedFile final : public RangedFile {
 public:
  explicit ManualRangedFile(std::uint64_t size)
      : size_(size), head_(content(0, std::min<std::uint64_t>(size, kHeadBytes))) {}

  static char byte_at(std::uint64_t offset) { return static_cast<char>('a' + (offset * 31 + offset / 4096) % 23); }
  static std::string content(std::uint64_t offset, std::uint64_t count) {
    std::string text(count, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = byte_at(offset + i);
    return text;
  }

  struct Read {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::stop_token stop;
    ReadCallback callback;
  };

  std::uint64_t size() const override { return size_; }
  const SourceFacts& facts() const override { return facts_; }
  std::span<const std::byte> head() const override { return std::as_bytes(std::span(head_)); }
  void read(std::uint64_t offset, std::size_t count, base::Deadline, std::stop_token stop,
            ReadCallback callback) override {
    EXPECT_GT(count, 0u);
    EXPECT_LE(offset + count, size_);
    reads.push_back({offset, count, std::move(stop), std::move(callback)});
  }

  /// Ends the oldest read well, or as a source does that was told to stop.
  void answer() {
    const Read read = take();
    if (read.stop.stop_requested()) return read.callback(base::fail(base::ErrorCode::kCancelled, "stopped"));
    const std::string text = content(read.offset, read.count);
    read.callback(std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(text))));
  }
  void fail(base::ErrorCode code) { take().callback(base::fail(code, "failed by the test")); }

  std::deque<Read> reads;  ///< That wait, oldest first.

 private:
  Read take() {
    Read read = std::move(reads.front());
    reads.pop_front();
    return read;
  }

  const std::uint64_t size_;
  const std::string head_;
  const SourceFacts facts_;
};

}  // namespace optimux::source
