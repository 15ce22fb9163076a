// How fair fair queueing is, by the lag: what a flow should have got by its weight, less what it got, in quanta.
#include "http/fair_queue.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "http/calendar_wheel.hpp"
#include "http/dary_heap.hpp"

namespace optimux::http {
namespace {

constexpr double kQuantum = 16'384;

/// Flows with what each should have and has got. A flow that is out is owed nothing for that time.
template <typename Queue>
class Line {
 public:
  explicit Line(const std::vector<int>& weights) : weights_(weights), flows_(weights.size()) {
    for (std::size_t flow = 0; flow < weights.size(); ++flow) join(flow);
  }

  void join(std::size_t flow) {
    queue_.join(static_cast<std::uint16_t>(flow), weights_[flow], flows_[flow].carried);
    flows_[flow].is_in = true;
    total_ += weights_[flow];
  }
  void leave(std::size_t flow) {
    flows_[flow].carried = queue_.leave(static_cast<std::uint16_t>(flow));
    flows_[flow].is_in = false;
    total_ -= weights_[flow];
  }
  /// Out and in again, or the other way round; the last one stays.
  void toggle(std::size_t flow) {
    if (!flows_[flow].is_in) {
      join(flow);
    } else if (total_ > weights_[flow]) {
      leave(flow);
    }
  }
  /// A flow ends and another, of that weight, takes its place with a clean sheet.
  void replace(std::size_t flow, int weight) {
    if (!flows_[flow].is_in || total_ == weights_[flow]) return;
    leave(flow);
    weights_[flow] = weight;
    flows_[flow] = {};
    join(flow);
  }
  std::size_t turn(std::size_t bytes) {
    const std::size_t first = queue_.front();
    queue_.charge(static_cast<std::uint16_t>(first), bytes);
    flows_[first].served += static_cast<double>(bytes);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (!flows_[flow].is_in) continue;
      flows_[flow].due += static_cast<double>(bytes) * weights_[flow] / total_;
      largest_lag_ = std::max(largest_lag_, std::abs(lag(flow)));
    }
    return first;
  }

  double lag(std::size_t flow) const { return (flows_[flow].due - flows_[flow].served) / kQuantum; }
  double served(std::size_t flow) const { return flows_[flow].served / kQuantum; }
  double largest_lag() const { return largest_lag_; }

 private:
  struct Flow {
    double due = 0;
    double served = 0;
    std::int64_t carried = 0;
    bool is_in = false;
  };

  FairQueue<Queue> queue_;
  std::vector<int> weights_;
  std::vector<Flow> flows_;
  double total_ = 0;
  double largest_lag_ = 0;
};

std::vector<int> weights_1_to_256() {
  std::vector<int> weights(256);
  std::iota(weights.begin(), weights.end(), 1);
  return weights;
}

template <typename Queue>
class FairQueueTest : public testing::Test {
 protected:
  /// For the reader of a report; rounded up.
  static void record(double lag) {
    RecordProperty("largest_lag_in_hundredths_of_a_quantum", static_cast<int>(std::ceil(lag * 100)));
  }
};

using Queues = testing::Types<CalendarWheel, DaryHeap>;
TYPED_TEST_SUITE(FairQueueTest, Queues);

TYPED_TEST(FairQueueTest, EqualWeightsTakeTurns) {
  Line<TypeParam> line({16, 16, 16});
  std::vector<std::size_t> order;
  for (int turn = 0; turn < 6; ++turn) order.push_back(line.turn(16'384));
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2}));
}

TYPED_TEST(FairQueueTest, WeightsAreShares) {
  Line<TypeParam> line({32, 16, 16});
  std::vector<std::size_t> order;
  for (int turn = 0; turn < 8; ++turn) order.push_back(line.turn(16'384));
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 0, 0, 1, 2, 0}));
}

TYPED_TEST(FairQueueTest, SharesAreOfBytesNotOfTurns) {
  FairQueue<TypeParam> queue;
  queue.join(0, 16);
  queue.join(1, 16);
  std::vector<double> served(2);
  for (int turn = 0; turn < 10'000; ++turn) {
    const std::uint16_t flow = queue.front();
    const std::size_t bytes = flow == 0 ? 600 : 16'384;
    queue.charge(flow, bytes);
    served[flow] += static_cast<double>(bytes);
  }
  EXPECT_NEAR(served[0] / served[1], 1, 0.01);
}

TYPED_TEST(FairQueueTest, CountsAreExactAfterARound) {
  Line<TypeParam> line(weights_1_to_256());
  for (int turn = 0; turn < 10 * 32'896; ++turn) line.turn(16'384);  // the sum of the weights
  for (std::size_t flow = 0; flow < 256; ++flow) EXPECT_EQ(line.served(flow), 10.0 * static_cast<double>(flow + 1));
}

TYPED_TEST(FairQueueTest, LagIsWithinTwoQuanta) {
  Line<TypeParam> line(weights_1_to_256());
  for (int turn = 0; turn < 100'000; ++turn) line.turn(16'384);
  this->record(line.largest_lag());
  EXPECT_LE(line.largest_lag(), 1.0) << "less than what is asked, 2";
}

TYPED_TEST(FairQueueTest, LagIsWithinTwoQuantaWithFramesOfAnySize) {
  Line<TypeParam> line(weights_1_to_256());
  std::mt19937_64 random(7);
  for (int turn = 0; turn < 100'000; ++turn) line.turn(600 + random() % (16'384 - 600 + 1));
  this->record(line.largest_lag());
  EXPECT_LE(line.largest_lag(), 2.0);
}

TYPED_TEST(FairQueueTest, LagIsWithinTwoQuantaWhereTenthsAreBlocked) {
  Line<TypeParam> line(weights_1_to_256());
  std::mt19937_64 random(7);
  for (std::size_t flow = 0; flow < 256; flow += 10) line.toggle(flow);
  for (int turn = 0; turn < 100'000; ++turn) {
    if (turn % 100 == 0) {  // one is blocked, another one can send again
      const std::size_t flow = random() % 256;
      line.toggle(flow);
      line.toggle((flow + 10) % 256);
    }
    line.turn(600 + random() % (16'384 - 600 + 1));
  }
  this->record(line.largest_lag());
  EXPECT_LE(line.largest_lag(), 2.0);
}

TYPED_TEST(FairQueueTest, LagIsWithinTwoQuantaWhileFlowsComeAndGo) {
  Line<TypeParam> line(weights_1_to_256());
  std::mt19937_64 random(7);
  for (int turn = 0; turn < 100'000; ++turn) {
    if (turn % 7 == 0) line.replace(random() % 256, 1 + static_cast<int>(random() % 256));
    if (turn % 10 == 0) line.toggle(random() % 256);
    line.turn(600 + random() % (16'384 - 600 + 1));
  }
  this->record(line.largest_lag());
  EXPECT_LE(line.largest_lag(), 2.0);
}

TYPED_TEST(FairQueueTest, LeavingAndComingBackWinsNothing) {
  Line<TypeParam> line({16, 16});
  for (int turn = 0; turn < 1'000; ++turn) {
    if (line.turn(16'384) == 0) {
      line.toggle(0);
      line.toggle(0);
    }
  }
  EXPECT_NEAR(line.served(0), 500, 1);
}

TYPED_TEST(FairQueueTest, ANewcomerIsNotOwedThePast) {
  Line<TypeParam> line({16, 16});
  line.toggle(1);
  for (int turn = 0; turn < 1'000; ++turn) line.turn(16'384);
  line.toggle(1);
  for (int turn = 0; turn < 100; ++turn) line.turn(16'384);
  EXPECT_NEAR(line.served(1), 50, 1);
}

TYPED_TEST(FairQueueTest, MoreThanAQuantumIsNotBroughtAlong) {
  FairQueue<TypeParam> queue;
  queue.join(0, 16);
  queue.join(1, 16, 100 * 16'384);
  std::vector<int> order;
  for (int turn = 0; turn < 5; ++turn) {
    order.push_back(queue.front());
    queue.charge(queue.front(), 16'384);
  }
  EXPECT_EQ(order, (std::vector<int>{1, 0, 1, 0, 1}));
}

TYPED_TEST(FairQueueTest, GoesOnOverTheEndOf64Bits) {
  FairQueue<TypeParam> queue;  // 2^36 bytes are 2^64 units of virtual time, times weight
  queue.join(0, 3);
  for (int turn = 0; turn < 1'100; ++turn) queue.charge(0, std::size_t{1} << 26);
  queue.join(1, 3);
  std::vector<int> turns(2);
  for (int turn = 0; turn < 1'000'000; ++turn) {
    const std::uint16_t flow = queue.front();
    queue.charge(flow, 16'384);
    ++turns[flow];
  }
  EXPECT_NEAR(turns[0], turns[1], 2);
}

TEST(FairQueueOrder, OfTheWheelIsThatOfTheHeapToASlot) {
  Line<CalendarWheel> wheel(weights_1_to_256());
  Line<DaryHeap> heap(weights_1_to_256());
  for (int turn = 0; turn < 100'000; ++turn) {
    wheel.turn(16'384);
    heap.turn(16'384);
    for (std::size_t flow = 0; turn % 100 == 0 && flow < 256; ++flow)
      ASSERT_LE(std::abs(wheel.served(flow) - heap.served(flow)), 1) << "turn " << turn << ", flow " << flow;
  }
}

}  // namespace
}  // namespace optimux::http
