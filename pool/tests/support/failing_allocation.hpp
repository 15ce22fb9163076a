/// \file
/// Memory that runs out on demand.
#pragma once

namespace optimux::pool::testing {

/// While it lives, every `operator new` of the thread that made it throws std::bad_alloc.
class FailingAllocation {
 public:
  FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation();
};

}  // namespace optimux::pool::testing
