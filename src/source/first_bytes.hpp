#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "source/source.hpp"

namespace optimux::source {

/// Puts the question of `FetchRequest::is_other`, once, to the first bytes of a source that comes in pieces of any
/// size. Not thread-safe.
class FirstBytes {
 public:
  /// As many are enough to tell kinds of media apart.
  static constexpr std::size_t kEnough = 64;

  /// An empty `is_other` is no question: no source is another one.
  explicit FirstBytes(IsOther is_other) : is_other_(std::move(is_other)), is_open_(static_cast<bool>(is_other_)) {}

  /// Takes the next bytes. Returns whether the source is known to be something else.
  bool take(std::span<const std::byte> bytes);
  /// All bytes have come: asks about what there is, unless that was done. Returns as `take`.
  bool end();

  /// Whether the question is still to be put.
  bool is_open() const { return is_open_; }

 private:
  bool ask(std::span<const std::byte> bytes);

  const IsOther is_other_;
  bool is_open_;
  bool answer_ = false;
  std::array<std::byte, kEnough> kept_{};  ///< Of pieces that were too small to ask about.
  std::size_t kept_bytes_ = 0;
};

}  // namespace optimux::source
