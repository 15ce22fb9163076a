#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace optimux::base {

/// What the bytes of an encoded picture are good for, in the order in which they stand in it. The bytes of a phase are
/// all that stand behind the end of the phase before it and before its own end.
enum class Phase : std::uint8_t {
  kHead,   ///< Up to here the dimensions are known: a page can be laid out.
  kFirst,  ///< Up to here something of the whole picture shows: the first usable scan, pass or frame.
  kGood,   ///< Up to here nothing is visibly missing.
  kFull,   ///< The rest, and all of a body of which nothing is known.
};

/// How many phases there are, for tables by phase.
constexpr int kPhases = 4;

/// The phase to which a byte belongs, and where it ends.
struct PhaseSpan {
  Phase phase = Phase::kFull;
  std::optional<std::uint64_t> end;  ///< Offset behind its last byte; unset while nobody knows it.

  friend bool operator==(const PhaseSpan&, const PhaseSpan&) = default;
};

/// Where the phases of one body end, as far as that is known. The ends rise with the phases. A value type.
class PhaseEnds {
 public:
  /// The bytes before `offset` that belong to no earlier phase are `phase`. Earlier phases of which no end is known end
  /// there too, so that one call is enough where nothing shows before the whole. Requires a phase before kFull that
  /// has no end yet and no later one that has, and an offset that is not below the ends known so far.
  void end(Phase phase, std::uint64_t offset) {
    assert(phase != Phase::kFull && "the end of the body ends the last phase");
    assert(static_cast<std::size_t>(phase) >= known_ && "phases end in their order");
    assert((known_ == 0 || ends_[known_ - 1] <= offset) && "the ends rise");
    while (known_ <= static_cast<std::size_t>(phase)) ends_[known_++] = offset;
  }

  /// Where `phase` ends, as far as that is known. Never for kFull.
  std::optional<std::uint64_t> end_of(Phase phase) const {
    const auto index = static_cast<std::size_t>(phase);
    return index < known_ ? std::optional(ends_[index]) : std::nullopt;
  }

  /// The phase of the byte at `offset`: the first whose end is unknown or lies behind it.
  PhaseSpan at(std::uint64_t offset) const {
    std::size_t phase = 0;
    while (phase < known_ && ends_[phase] <= offset) ++phase;
    const auto end = phase < known_ ? std::optional(ends_[phase]) : std::nullopt;
    return {static_cast<Phase>(phase), end};
  }

 private:
  std::array<std::uint64_t, kPhases - 1> ends_{};
  std::size_t known_ = 0;  ///< How many of `ends_` are.
};

}  // namespace optimux::base
