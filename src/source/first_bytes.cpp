#include "source/first_bytes.hpp"

#include <algorithm>

namespace optimux::source {

bool FirstBytes::take(std::span<const std::byte> bytes) {
  if (!is_open_) return answer_;
  if (kept_bytes_ == 0 && bytes.size() >= kEnough) return ask(bytes);
  const auto missing = bytes.first(std::min(bytes.size(), kEnough - kept_bytes_));
  std::copy(missing.begin(), missing.end(), kept_.begin() + static_cast<std::ptrdiff_t>(kept_bytes_));
  kept_bytes_ += missing.size();
  return kept_bytes_ == kEnough && ask(kept_);
}

bool FirstBytes::end() {
  return is_open_ ? ask(std::span(kept_).first(kept_bytes_)) : answer_;
}

bool FirstBytes::ask(std::span<const std::byte> bytes) {
  is_open_ = false;
  answer_ = is_other_(bytes);
  return answer_;
}

}  // namespace optimux::source
