#include "base/phase.hpp"

#include <gtest/gtest.h>

namespace optimux::base {
namespace {

TEST(PhaseEnds, FirstPhaseHasNoEndBeforeItIsKnown) {
  const PhaseEnds ends;
  EXPECT_EQ(ends.at(0), (PhaseSpan{Phase::kHead, std::nullopt}));
  EXPECT_EQ(ends.at(1'000'000), (PhaseSpan{Phase::kHead, std::nullopt}));
}

TEST(PhaseEnds, ByteAtAnEndBelongsToTheNextPhase) {
  PhaseEnds ends;
  ends.end(Phase::kHead, 10);
  ends.end(Phase::kFirst, 20);
  ends.end(Phase::kGood, 30);
  EXPECT_EQ(ends.at(9), (PhaseSpan{Phase::kHead, 10}));
  EXPECT_EQ(ends.at(10), (PhaseSpan{Phase::kFirst, 20}));
  EXPECT_EQ(ends.at(20), (PhaseSpan{Phase::kGood, 30}));
  EXPECT_EQ(ends.at(30), (PhaseSpan{Phase::kFull, std::nullopt}));
}

TEST(PhaseEnds, ALaterPhaseEndsThoseBeforeIt) {
  PhaseEnds ends;
  ends.end(Phase::kGood, 7);
  EXPECT_EQ(ends.at(6), (PhaseSpan{Phase::kHead, 7}));
  EXPECT_EQ(ends.at(7), (PhaseSpan{Phase::kFull, std::nullopt}));
}

TEST(PhaseEnds, PhasesWithoutBytesAreNeverAByte) {
  PhaseEnds ends;
  ends.end(Phase::kHead, 5);
  ends.end(Phase::kFirst, 5);
  EXPECT_EQ(ends.at(5), (PhaseSpan{Phase::kGood, std::nullopt}));
}

TEST(PhaseEnds, TellsTheEndsThatAreKnown) {
  PhaseEnds ends;
  EXPECT_EQ(ends.end_of(Phase::kHead), std::nullopt);
  ends.end(Phase::kFirst, 20);
  EXPECT_EQ(ends.end_of(Phase::kHead), 20U);
  EXPECT_EQ(ends.end_of(Phase::kFirst), 20U);
  EXPECT_EQ(ends.end_of(Phase::kGood), std::nullopt);
  EXPECT_EQ(ends.end_of(Phase::kFull), std::nullopt);
}

}  // namespace
}  // namespace optimux::base
