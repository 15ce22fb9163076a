#pragma once

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

}  // namespace optimux::base
