#include "advisor/plateau.hpp"

#include "advisor/synthetic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace optimux::pool::advisor {
namespace {

TEST(Plateau, IsTheSmallestSizeThatReachesIt) {
  const Plateau plateau = find_plateau(make_curve(kSizes, flat_from(10)));
  EXPECT_EQ(plateau.verdict, Verdict::kPlateau);
  EXPECT_EQ(plateau.workers, 10);
  EXPECT_DOUBLE_EQ(plateau.rate, 10'000);
}

TEST(Plateau, IsNotSeenWhereTheCurveRisesToItsEnd) {
  const Plateau plateau = find_plateau(make_curve(kSizes, flat_from(1e9)));
  EXPECT_EQ(plateau.verdict, Verdict::kStillRising);
  EXPECT_EQ(plateau.workers, 100);
}

TEST(Plateau, NeedsALargerSizeAsAWitness) {
  EXPECT_EQ(find_plateau(make_curve({1, 2, 4}, flat_from(4))).verdict, Verdict::kStillRising);
  EXPECT_EQ(find_plateau(make_curve({1, 2, 4, 8}, flat_from(4))).verdict, Verdict::kPlateau);
}

TEST(Plateau, IsNotTakenFromTwoSizesTooCloseToTell) {
  const Plateau plateau = find_plateau(make_curve({1, 50, 98, 100}, flat_from(1e9)));
  EXPECT_EQ(plateau.verdict, Verdict::kStillRising);
  EXPECT_EQ(plateau.workers, 100);
}

TEST(Plateau, StaysWhereItIsWhenLargerPoolsAreSlower) {
  const auto peaked = [](double n) { return 1000 * std::min(n, 10.0) - 20 * std::max(0.0, n - 10); };
  const Plateau plateau = find_plateau(make_curve(kSizes, peaked));
  EXPECT_EQ(plateau.verdict, Verdict::kPlateau);
  EXPECT_EQ(plateau.workers, 10);
}

TEST(Plateau, IsFoundThroughModerateNoise) {
  int misses = 0;
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const Plateau plateau = find_plateau(make_curve(kSizes, flat_from(10), {.deviation = 0.03, .seed = seed}));
    EXPECT_EQ(plateau.verdict, Verdict::kPlateau) << seed;
    misses += plateau.workers == 10 ? 0 : 1;
  }
  EXPECT_LE(misses, 2);
}

TEST(Plateau, IsNotClaimedInStrongNoise) {
  int claimed = 0;
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const Plateau plateau = find_plateau(make_curve(kSizes, flat_from(10), {.deviation = 0.3, .seed = seed}));
    claimed += plateau.verdict == Verdict::kTooNoisy ? 0 : 1;
  }
  EXPECT_LE(claimed, 2);
}

TEST(Plateau, ARiseBeyondAllNoiseIsSeenInStrongNoise) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const Plateau plateau = find_plateau(make_curve({1, 10, 50}, flat_from(1e9), {.deviation = 0.15, .seed = seed}));
    EXPECT_EQ(plateau.verdict, Verdict::kStillRising) << seed << ", noise " << plateau.noise;
    EXPECT_EQ(plateau.workers, 50);
  }
}

TEST(Plateau, MoreRoundsSeeThroughMoreNoise) {
  const Plateau few = find_plateau(make_curve(kSizes, flat_from(10), {.deviation = 0.12, .rounds = 5}));
  const Plateau many = find_plateau(make_curve(kSizes, flat_from(10), {.deviation = 0.12, .rounds = 41}));
  EXPECT_EQ(few.verdict, Verdict::kTooNoisy);
  EXPECT_EQ(many.verdict, Verdict::kPlateau);
  EXPECT_EQ(many.workers, 10);
}

TEST(Plateau, NoiseIsNeverTakenToBeLessThanWhatClocksShow) {
  EXPECT_DOUBLE_EQ(find_plateau(make_curve(kSizes, flat_from(10))).noise, kSmallestNoise);
}

RC_GTEST_PROP(Plateau, OfABrokenLineIsTheFirstSizeFromItsKneeOn, ()) {
  const int knee = *rc::gen::inRange(1, 51);
  const double each = *rc::gen::inRange(1, 1'000'000) / 10.0;
  const Plateau plateau = find_plateau(make_curve(kSizes, flat_from(knee, each)));
  RC_ASSERT(plateau.verdict == Verdict::kPlateau);
  RC_ASSERT(plateau.workers == *std::lower_bound(kSizes.begin(), kSizes.end(), knee) ||
            knee * (1 - kSmallestNoise) <= plateau.workers);
}

RC_GTEST_PROP(Plateau, DoesNotDependOnTheUnitOfTheRate, ()) {
  const Noise noise{.deviation = 0.02, .rounds = 5, .seed = *rc::gen::arbitrary<std::uint32_t>()};
  const Plateau slow = find_plateau(make_curve(kSizes, flat_from(20, 1), noise));
  const Plateau fast = find_plateau(make_curve(kSizes, flat_from(20, 4096), noise));
  RC_ASSERT(slow.workers == fast.workers);
  RC_ASSERT(slow.verdict == fast.verdict);
}

}  // namespace
}  // namespace optimux::pool::advisor
