#include "source/range_reader.hpp"

#include <algorithm>

namespace optimux::source {
namespace {

// A read that takes as long is a large one for its source.
constexpr std::chrono::seconds kSlow{1};

std::uint64_t grain_before(std::uint64_t offset) {
  return offset - offset % RangeReader::kGrainBytes;
}

std::uint64_t grain_behind(std::uint64_t offset) {
  return grain_before(offset + RangeReader::kGrainBytes - 1);
}

}  // namespace

RangeReader::RangeReader(std::shared_ptr<RangedFile> file, base::Deadline deadline, const Limits& limits, News news)
    : file_(std::move(file)),
      deadline_(deadline),
      limits_(limits),
      news_(std::move(news)),
      pieces_(limits.kept_bytes),
      largest_read_(limits.max_read_bytes) {}

std::span<const std::byte> RangeReader::find(std::uint64_t offset) {
  const auto head = file_->head();
  return offset < head.size() ? head.subspan(offset) : pieces_.find(offset);
}

bool RangeReader::fetch(std::uint64_t offset, std::uint64_t end, std::size_t wanted, const std::stop_token& stop) {
  end = std::min(end, size());
  const std::uint64_t missing = pieces_.first_missing(std::max<std::uint64_t>(offset, file_->head().size()));
  if (missing >= end || missing - offset >= std::max<std::uint64_t>(wanted, 1) || is_coming(missing)) return false;
  const std::uint64_t begin = grain_before(missing);
  const std::size_t count = std::clamp(wanted, limits_.min_read_bytes, largest_read_);
  std::uint64_t limit = std::min({begin + count, grain_behind(end), size()});
  limit = pieces_.next_piece(missing, limit);
  const auto later = under_way_.lower_bound({begin, 0});
  if (later != under_way_.end()) limit = std::min(limit, later->first);

  const Extent extent{begin, limit};
  under_way_.insert(extent);
  ++reads_;
  const bool is_small = limit - begin <= limits_.min_read_bytes;
  file_->read(begin, limit - begin, deadline_, is_small ? stop_.get_token() : stop,
              [weak = weak_from_this(), extent, begun = Clock::now()](RangedFile::ReadResult result) {
                if (const auto self = weak.lock()) self->take(extent, begun, std::move(result));
              });
  return true;
}

void RangeReader::close() {
  news_ = nullptr;
  stop_.request_stop();
}

bool RangeReader::is_coming(std::uint64_t offset) const {
  return std::any_of(under_way_.begin(), under_way_.end(),
                     [offset](const Extent& extent) { return extent.first <= offset && offset < extent.second; });
}

void RangeReader::take(const Extent& extent, Clock::time_point begun, RangedFile::ReadResult result) {
  under_way_.erase(extent);
  if (!news_) return;
  if (result) {
    const bool is_slow = Clock::now() - begun > kSlow;
    largest_read_ = is_slow ? std::max(largest_read_ / 2, limits_.min_read_bytes)
                            : std::min(largest_read_ * 2, limits_.max_read_bytes);
    bytes_ += (*result)->size();
    pieces_.insert(extent.first, *std::move(result));
    return news_(std::nullopt);
  }
  // Its reader has gone; another one may have waited for it too.
  if (result.error().code == base::ErrorCode::kCancelled) return news_(std::nullopt);
  news_(result.error());
}

}  // namespace optimux::source
