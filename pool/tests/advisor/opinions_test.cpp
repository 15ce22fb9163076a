// The second opinions on a curve.
#include "advisor/kneedle.hpp"
#include "advisor/scalability.hpp"
#include "advisor/synthetic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace optimux::pool::advisor {
namespace {

std::function<double(double)> law(double gamma, double alpha, double beta) {
  return [=](double n) { return rate_at({.gamma = gamma, .alpha = alpha, .beta = beta}, n); };
}

TEST(Kneedle, FindsTheKneeOfABrokenLine) {
  const auto knee = find_knee(make_curve(kSizes, flat_from(10)));
  ASSERT_TRUE(knee);
  EXPECT_EQ(knee->workers, 10);
  EXPECT_NEAR(knee->fit_error, 0, 1e-12);
  EXPECT_NEAR(knee->distance, 1 - 9.0 / 99, 1e-12);
}

TEST(Kneedle, FindsNoneInAStraightLine) {
  EXPECT_FALSE(find_knee(make_curve(kSizes, flat_from(1e9))));
  EXPECT_FALSE(find_knee(make_curve(kSizes, flat_from(1e9), {.deviation = 0.02, .seed = 7})));
}

TEST(Kneedle, FindsNoneInAFlatLine) {
  EXPECT_FALSE(find_knee(make_curve(kSizes, [](double) { return 500; })));
}

TEST(Kneedle, SaysHowBadlyTheBrokenLineFits) {
  const auto knee = find_knee(make_curve(kSizes, [](double n) { return 1000 * std::sqrt(n); }));
  ASSERT_TRUE(knee);
  EXPECT_GT(knee->fit_error, 0.1);
}

TEST(Scalability, GivesBackTheLawThatMadeTheCurve) {
  const Scalability fit = fit_scalability(make_curve(kSizes, law(1000, 0.05, 0.0005)));
  EXPECT_NEAR(fit.gamma, 1000, 1e-3);
  EXPECT_NEAR(fit.alpha, 0.05, 1e-6);
  EXPECT_NEAR(fit.beta, 0.0005, 1e-8);
  EXPECT_NEAR(fit.fit_error, 0, 1e-6);
  ASSERT_TRUE(fit.peak);
  EXPECT_NEAR(*fit.peak, std::sqrt(0.95 / 0.0005), 0.01);
  EXPECT_FALSE(fit.roof);
}

TEST(Scalability, OfAStraightLineHasNeitherPeakNorRoof) {
  const Scalability fit = fit_scalability(make_curve(kSizes, flat_from(1e9)));
  EXPECT_NEAR(fit.gamma, 1000, 1e-6);
  EXPECT_NEAR(fit.alpha, 0, 1e-9);
  EXPECT_LT(fit.fit_error, 1e-9);
}

TEST(Scalability, WithContentionAloneHasARoof) {
  const Scalability fit = fit_scalability(make_curve(kSizes, law(1000, 0.1, 0)));
  EXPECT_NEAR(fit.alpha, 0.1, 1e-6);
  const double highest = fit.roof.value_or(rate_at(fit, fit.peak.value_or(1)));
  EXPECT_NEAR(highest, 10'000, 10'000 * 0.01);
}

TEST(Scalability, KeepsItsCoefficientsFromGoingBelowZero) {
  const Scalability fit = fit_scalability(make_curve(kSizes, [](double n) { return 1000 * std::pow(n, 1.1); }));
  EXPECT_DOUBLE_EQ(fit.alpha, 0);
  EXPECT_DOUBLE_EQ(fit.beta, 0);
  EXPECT_GT(fit.fit_error, 0.05);
}

RC_GTEST_PROP(Scalability, IsGivenBackForEveryLaw, ()) {
  const double gamma = *rc::gen::inRange(1, 100'000) * 1.0;
  const double alpha = *rc::gen::inRange(0, 500) / 1000.0;
  const double beta = *rc::gen::inRange(1, 1000) / 1e5;
  const Scalability fit = fit_scalability(make_curve(kSizes, law(gamma, alpha, beta)));
  RC_ASSERT(std::abs(fit.gamma / gamma - 1) < 1e-4);
  RC_ASSERT(std::abs(fit.alpha - alpha) < 1e-4);
  RC_ASSERT(std::abs(fit.beta - beta) < 1e-5);
}

RC_GTEST_PROP(Scalability, HasNoNegativeCoefficientWhateverTheNoise, ()) {
  const Noise noise{.deviation = 0.2, .rounds = 3, .seed = *rc::gen::arbitrary<std::uint32_t>()};
  const Scalability fit = fit_scalability(make_curve(kSizes, flat_from(10), noise));
  RC_ASSERT(fit.gamma > 0);
  RC_ASSERT(fit.alpha >= 0);
  RC_ASSERT(fit.beta >= 0);
  RC_ASSERT(std::isfinite(fit.fit_error));
}

}  // namespace
}  // namespace optimux::pool::advisor
