#include "media/byte_feed.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace optimux::media {

bool ByteFeed::Bytes::poll() {
  assert(count_ <= kMostBytes && "more bytes than can be gathered");
  const std::size_t count = std::min(count_ - gathered_, feed().rest_.size());
  std::copy_n(feed().rest_.begin(), count, feed().gathered_.begin() + static_cast<std::ptrdiff_t>(gathered_));
  feed().take(count);
  gathered_ += count;
  return gathered_ == count_;
}

bool ByteFeed::Skip::poll() {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, feed().rest_.size()));
  feed().take(count);
  left_ -= count;
  return left_ == 0;
}

bool ByteFeed::Find::poll() {
  const auto rest = feed().rest_;
  const void* found = rest.empty() ? nullptr : std::memchr(rest.data(), std::to_integer<int>(value_), rest.size());
  if (found == nullptr) {
    feed().take(rest.size());
    return false;
  }
  feed().take(static_cast<std::size_t>(static_cast<const std::byte*>(found) - rest.data()) + 1);
  return true;
}

}  // namespace optimux::media
