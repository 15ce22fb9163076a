// One piece of work, run again and again: each time another operation fails or throws, or another moment is the one at
// which somebody leaves. Afterwards nothing may be left over, every reader has its end, and the next request works.
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/service/service_fixture.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;

/// The work: two sources; three sizes of the first in two jobs, which share a fetch and cannot have their memory at the
/// same time; one client that joins; a description.
class ServiceFault : public ServiceFixture {
 protected:
  void open_clients() {
    for (const auto& wanted : {spec({{1, 0}, {2, 0}}), spec({{3, 0}}), spec({{1, 0}}), spec({{1, 0}}, "dog.jpg")}) {
      for (auto& opened : service->open(wanted, base::Deadline::never())) clients.push_back(std::move(opened));
    }
    clients.push_back(service->open_info(spec().source, base::Deadline::never()));
    executor.during_render = [this](std::size_t, const media::OperationControl&) {
      // While the first render holds its memory, the others get as far as they can.
      executor.during_render = nullptr;
      run_to_the_end();
    };
  }

  /// Does the next thing that can be done; false when there is nothing left. `before` may come in between.
  bool step() {
    if (before_step) before_step();
    return source.answer() || pool.run_next();
  }
  void run_to_the_end() {
    while (step()) {
    }
  }

  void expect_nothing_left() {
    for (const auto& client : clients) EXPECT_TRUE(client.rendition->body()->is_finished()) << client.rendition->key();
    EXPECT_EQ(service->figures().in_flight, 0U);
    EXPECT_EQ(service->figures().decoded_bytes_in_use, 0U);
    EXPECT_EQ(service->figures().source_bytes_in_use, 0U);
    EXPECT_EQ(source.pending(), 0U);
    EXPECT_EQ(pool.waiting(), 0U);
    EXPECT_FALSE(executor.still_holds_source());
  }

  int clients_with(ErrorCode code) const {
    int count = 0;
    for (const auto& client : clients) {
      const auto error = client.rendition->body()->error();
      count += error && error->code == code ? 1 : 0;
    }
    return count;
  }

  /// Calls `run` on a fresh service for moments 1, 2, … until the work ends without having come to the moment.
  void for_each_moment(const std::function<bool(int moment)>& run) {
    int moment = 1;
    for (bool was_reached = true; was_reached; ++moment) {
      ASSERT_LT(moment, 100) << "there is no end";
      SCOPED_TRACE("moment " + std::to_string(moment));
      restart({.decoded_bytes = 150});
      before_step = nullptr;
      was_reached = run(moment);
      expect_nothing_left();
      clients.clear();
      executor.during_render = nullptr;
      before_step = nullptr;
      expect_works();
    }
    EXPECT_GT(moment, 3) << "the fault was hardly ever reached";
  }

  /// Calls `act` before the step of that number, and says whether there was one.
  bool act_at_step(int number, const std::function<void()>& act) {
    int steps = 0;
    before_step = [&, number] {
      if (++steps == number) act();
    };
    run_to_the_end();
    return steps > number;  // the last step is the one that finds nothing to do
  }

  std::vector<OpenedRendition> clients;
  std::function<void()> before_step;
};

TEST_F(ServiceFault, TheNthSubmissionIsRefused) {
  for_each_moment([this](int moment) {
    pool.refuse_submission(pool.submissions() + moment);
    const int last = pool.submissions() + moment;
    open_clients();
    run_to_the_end();
    const bool was_reached = pool.submissions() >= last;
    EXPECT_EQ(clients_with(ErrorCode::kOverloaded) > 0, was_reached);
    pool.refuse_submission(0);
    return was_reached;
  });
}

TEST_F(ServiceFault, TheNthFetchFails) {
  for_each_moment([this](int moment) {
    open_clients();
    int answers = 0;
    while (source.pending() > 0) {
      ++answers == moment ? source.fail(ErrorCode::kOriginFailed) : source.answer();
    }
    run_to_the_end();
    EXPECT_EQ(clients_with(ErrorCode::kOriginFailed) > 0, answers >= moment);
    return answers >= moment;
  });
}

TEST_F(ServiceFault, TheNthInspectionFails) {
  for_each_moment([this](int moment) {
    const int last = executor.inspections() + moment;
    executor.failed_inspection = last;
    open_clients();
    run_to_the_end();
    const bool was_reached = executor.inspections() >= last;
    EXPECT_EQ(clients_with(ErrorCode::kBrokenMedia) > 0, was_reached);
    executor.failed_inspection = 0;
    return was_reached;
  });
}

TEST_F(ServiceFault, TheNthInspectionThrows) {
  for_each_moment([this](int moment) {
    int inspections = 0;
    executor.during_inspect = [&] {
      if (++inspections == moment) throw std::bad_alloc();
    };
    open_clients();
    run_to_the_end();
    EXPECT_EQ(clients_with(ErrorCode::kInternal) > 0, inspections >= moment);
    executor.during_inspect = nullptr;
    return inspections >= moment;
  });
}

TEST_F(ServiceFault, TheNthRenderFails) {
  for_each_moment([this](int moment) {
    const int last = executor.renders() + moment;
    executor.failed_render = last;
    open_clients();
    run_to_the_end();
    const bool was_reached = executor.renders() >= last;
    EXPECT_EQ(clients_with(ErrorCode::kBrokenMedia) > 0, was_reached);
    executor.failed_render = 0;
    return was_reached;
  });
}

TEST_F(ServiceFault, TheNthOutputThrows) {
  for_each_moment([this](int moment) {
    int outputs = 0;
    open_clients();
    executor.during_render = [&](std::size_t, const media::OperationControl&) {
      if (++outputs == moment) throw std::bad_alloc();
    };
    run_to_the_end();
    EXPECT_EQ(clients_with(ErrorCode::kInternal) > 0, outputs >= moment);
    return outputs >= moment;
  });
}

TEST_F(ServiceFault, ThePoolDropsTheJobAtTheNthStep) {
  for (const auto reason : {JobPool::Refusal::kCancelled, JobPool::Refusal::kStopped, JobPool::Refusal::kFull}) {
    for_each_moment([this, reason](int moment) {
      open_clients();
      return act_at_step(moment, [&] { pool.drop_next(reason); });
    });
  }
}

TEST_F(ServiceFault, TheFirstClientLeavesAtTheNthStep) {
  for_each_moment([this](int moment) {
    open_clients();
    const bool was_reached = act_at_step(moment, [this] { clients.front().reader = {}; });
    for (const auto& client : clients) EXPECT_TRUE(is_complete(client)) << "the others read on";
    return was_reached;
  });
}

TEST_F(ServiceFault, AllClientsLeaveAtTheNthStep) {
  for_each_moment([this](int moment) {
    open_clients();
    return act_at_step(moment, [this] {
      for (auto& client : clients) client.reader = {};
    });
  });
}

TEST_F(ServiceFault, AllLeaveAndSomebodyComesAtTheNthStep) {
  for_each_moment([this](int moment) {
    open_clients();
    const bool was_reached = act_at_step(moment, [this] {
      for (auto& client : clients) client.reader = {};
      clients.push_back(open(spec({{1, 0}})));
    });
    if (was_reached) {
      EXPECT_TRUE(is_complete(clients.back()));
    }
    return was_reached;
  });
}

TEST_F(ServiceFault, TheServiceGoesAtTheNthStep) {
  for_each_moment([this](int moment) {
    open_clients();
    executor.during_render = nullptr;  // a service does not go from inside one of its own renders
    const bool was_reached = act_at_step(moment, [this] { service.reset(); });
    for (const auto& client : clients) {
      EXPECT_TRUE(client.rendition->body()->is_finished());
    }
    if (!service) restart({});
    return was_reached;
  });
}

TEST_F(ServiceFault, TheBudgetBecomesTooSmallAtTheNthStep) {
  for_each_moment([this](int moment) {
    open_clients();
    const bool was_reached = act_at_step(moment, [this] { service->set_limits({.decoded_bytes = 1}); });
    service->set_limits({.decoded_bytes = 150});
    return was_reached;
  });
}

TEST_F(ServiceFault, DrainBeginsAtTheNthStep) {
  for_each_moment([this](int moment) {
    open_clients();
    const bool was_reached = act_at_step(moment, [this] { service->drain(); });
    for (const auto& client : clients) EXPECT_TRUE(is_complete(client)) << "what has been begun is finished";
    restart({});
    return was_reached;
  });
}

}  // namespace
}  // namespace optimux::service
