#include "server/send_patience.hpp"

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const SendPatience::Clock::time_point kNow{seconds(1'000)};

/// How long the next waiting may last.
milliseconds left(const SendPatience& patience) {
  return std::chrono::duration_cast<milliseconds>(patience.end_of(kNow) - kNow);
}

/// A client that takes `bytes` after each pause: how many rounds it lasts, at most `most`.
int rounds(SendPatience patience, milliseconds pause, std::uint64_t bytes, int most) {
  for (int round = 0; round < most; ++round) {
    if (left(patience) < pause) return round;
    patience.waited(pause);
    patience.taken(bytes);
  }
  return most;
}

TEST(SendPatience, EndsAfterAWindowWithoutAByte) {
  SendPatience patience({seconds(30), 1'000, seconds(0)});
  EXPECT_EQ(left(patience), seconds(30));
  patience.waited(seconds(29));
  EXPECT_EQ(left(patience), seconds(1));
}

TEST(SendPatience, WhoKeepsTheRateIsWaitedForForEver) {
  const SendPatience patience({seconds(30), 1'000, seconds(0)});
  EXPECT_EQ(rounds(patience, seconds(1), 1'000, 10'000), 10'000);
  EXPECT_EQ(rounds(patience, seconds(29), 29'000, 10'000), 10'000);  // In bursts.
}

TEST(SendPatience, WhoStaysBelowTheRateIsCutOffAfterMoreThanAWindow) {
  const SendPatience patience({seconds(30), 1'000, seconds(0)});
  EXPECT_EQ(rounds(patience, seconds(1), 500, 10'000), 59);  // Loses half a second each second.
  EXPECT_EQ(rounds(patience, seconds(1), 1, 10'000), 30);
}

TEST(SendPatience, ABurstBuysNoMoreThanAWindow) {
  SendPatience patience({seconds(30), 1, seconds(0)});
  patience.waited(seconds(20));
  patience.taken(std::uint64_t{1} << 40);
  EXPECT_EQ(left(patience), seconds(30));
}

TEST(SendPatience, WithoutARateAnyByteWillDo) {
  EXPECT_EQ(rounds(SendPatience({seconds(30), 0, seconds(0)}), seconds(29), 1, 10'000), 10'000);
}

TEST(SendPatience, AllWaitingTogetherIsBounded) {
  EXPECT_EQ(rounds(SendPatience({seconds(30), 1'000, seconds(600)}), seconds(10), 1'000'000, 10'000), 60);
}

}  // namespace
}  // namespace optimux::server
