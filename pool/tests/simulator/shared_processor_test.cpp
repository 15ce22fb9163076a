#include "simulator/shared_processor.hpp"

#include <gtest/gtest.h>

namespace optimux::pool::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kStart = TimePoint{} + std::chrono::hours(1);

TEST(SharedProcessor, WithoutJobsNothingHappens) {
  SharedProcessor processor(2, kStart);
  EXPECT_EQ(processor.next_completion(), kNever);
  EXPECT_FALSE(processor.take_completed());
}

TEST(SharedProcessor, JobsHaveACpuEachWhileThereAreEnough) {
  SharedProcessor processor(2, kStart);
  processor.add(1, seconds(3));
  processor.add(2, seconds(1));
  EXPECT_EQ(processor.next_completion(), kStart + seconds(1));
  processor.advance(kStart + seconds(1));
  EXPECT_EQ(processor.take_completed(), 2U);
  EXPECT_FALSE(processor.take_completed());
  EXPECT_EQ(processor.next_completion(), kStart + seconds(3));
}

// Three jobs on two CPUs have two thirds of one each; when the first leaves, the others have one each.
TEST(SharedProcessor, SharesWhatThereIs) {
  SharedProcessor processor(2, kStart);
  processor.add(1, seconds(2));
  processor.add(2, seconds(2));
  processor.add(3, seconds(1));
  EXPECT_EQ(processor.next_completion(), kStart + milliseconds(1500));
  processor.advance(kStart + milliseconds(1500));
  EXPECT_EQ(processor.take_completed(), 3U);
  EXPECT_EQ(processor.next_completion(), kStart + milliseconds(2500));
}

TEST(SharedProcessor, ALatecomerSlowsTheOthersFromThenOn) {
  SharedProcessor processor(1, kStart);
  processor.add(1, seconds(2));
  processor.advance(kStart + seconds(1));
  processor.add(2, seconds(5));
  EXPECT_EQ(processor.next_completion(), kStart + seconds(3));
}

TEST(SharedProcessor, LosesNothingOverManyJobs) {
  SharedProcessor processor(3, kStart);
  TimePoint now = kStart;
  for (std::uint64_t job = 0; job < 1000; ++job) processor.add(job, milliseconds(1 + job % 7));
  for (int left = 1000; left > 0;) {
    now = processor.next_completion();
    processor.advance(now);
    while (processor.take_completed()) --left;
  }
  Duration work{};
  for (std::uint64_t job = 0; job < 1000; ++job) work += milliseconds(1 + job % 7);
  EXPECT_NEAR(to_seconds(now - kStart), to_seconds(work) / 3, .002) << "but for the last two, which have a CPU each";
}

}  // namespace
}  // namespace optimux::pool::simulator
