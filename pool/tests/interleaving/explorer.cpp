#include "interleaving/explorer.hpp"

#include "interleaving/fiber.hpp"

#include <algorithm>

namespace optimux::pool::testing {
namespace {

thread_local Explorer* running_explorer = nullptr;
constexpr std::size_t kNobody = ~std::size_t{0};
constexpr std::size_t kMostSteps = 100'000;  // an execution that takes longer goes in circles

}  // namespace

Explorer::Explorer() = default;
Explorer::~Explorer() = default;

Explorer& Explorer::current() {
  return *running_explorer;
}

Explorer::Result Explorer::explore(const std::function<std::shared_ptr<void>(Explorer&)>& scenario, Options options) {
  Explorer explorer;
  running_explorer = &explorer;
  Result result;
  do {
    explorer.execute(scenario, options);
    ++result.executions;
    result.failure = explorer.failure_;
    result.schedule = explorer.schedule_;
    if (!result.failure.empty()) break;
    result.complete = !explorer.advance_to_next_schedule();
  } while (!result.complete && result.executions < options.most_executions);
  running_explorer = nullptr;
  return result;
}

void Explorer::spawn(std::string name, std::function<void()> task) {
  const std::size_t index = tasks_.size();
  if (fibers_.size() <= index) fibers_.push_back(std::make_unique<Fiber>());
  tasks_.push_back({std::move(name), nullptr, nullptr, false, false, fibers_[index].get()});
  fibers_[index]->load([this, index, task = std::move(task)] {
    task();
    tasks_[index].finished = true;
  });
}

void Explorer::when_quiet(std::function<void()> task) {
  quiet_.push_back(std::move(task));
}

void Explorer::fail(const std::string& message) {
  if (failure_.empty()) failure_ = message;
}

void Explorer::point() {
  if (running_ != kNobody) yield();  // a scenario that is being set up has nobody to share with
}

bool Explorer::block(std::function<bool()> ready, bool may_time_out) {
  const std::size_t self = running_;
  tasks_[self].ready = ready;
  tasks_[self].may_time_out = may_time_out;
  yield();
  tasks_[self].ready = nullptr;
  tasks_[self].may_time_out = false;
  return ready();
}

void Explorer::yield() {
  tasks_[running_].fiber->leave();
}

void Explorer::run_task(std::size_t index) {
  running_ = index;
  schedule_ += (schedule_.empty() ? "" : " ") + tasks_[index].name;
  tasks_[index].fiber->enter();
}

// The tasks that may run next: the running one first, for going on costs nothing; the others cost a preemption if it
// could have gone on. A time-out in place of a notification always costs one, unless nothing else can happen.
std::vector<std::size_t> Explorer::candidates(const Options& options, int& preemptions, std::size_t& free_ones) {
  std::vector<std::size_t> able;
  std::vector<std::size_t> timed;
  const bool goes_on = running_ != kNobody && can_go_on(tasks_[running_]);
  if (goes_on) able.push_back(running_);
  const bool may_preempt = preemptions < options.preemptions;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (goes_on && i == running_) continue;
    if (can_go_on(tasks_[i])) {
      if (!goes_on || may_preempt) able.push_back(i);
    } else if (!tasks_[i].finished && tasks_[i].may_time_out) {
      timed.push_back(i);
    }
  }
  free_ones = goes_on ? 1 : able.size();
  if (able.empty()) free_ones = timed.size();
  if (able.empty() || may_preempt) able.insert(able.end(), timed.begin(), timed.end());
  return able;
}

void Explorer::execute(const std::function<std::shared_ptr<void>(Explorer&)>& scenario, const Options& options) {
  tasks_.clear();
  quiet_.clear();
  depth_ = 0;
  failure_.clear();
  schedule_.clear();
  running_ = kNobody;
  const std::shared_ptr<void> world = scenario(*this);
  int preemptions = 0;
  std::size_t quiet_done = 0;
  for (std::size_t steps = 0; steps < kMostSteps; ++steps) {
    std::size_t free_ones = 0;
    const std::vector<std::size_t> able = candidates(options, preemptions, free_ones);
    if (!able.empty()) {
      const std::size_t taken = choose(able.size());
      if (taken >= free_ones) ++preemptions;
      run_task(able[taken]);
    } else if (quiet_done < quiet_.size()) {
      running_ = kNobody;
      spawn("(quiet)", quiet_[quiet_done++]);
    } else {
      break;
    }
  }
  for (const Task& task : tasks_) {
    if (!task.finished) fail("deadlock: " + task.name + " is blocked for ever");
  }
  running_ = kNobody;
}

std::size_t Explorer::choose(std::size_t options) {
  if (depth_ == choices_.size()) choices_.push_back({0, options});
  Choice& choice = choices_[depth_++];
  if (choice.options != options) fail("the scenario is not deterministic");
  return std::min(choice.taken, options - 1);
}

bool Explorer::advance_to_next_schedule() {
  choices_.resize(depth_);
  while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().options) choices_.pop_back();
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

}  // namespace optimux::pool::testing
