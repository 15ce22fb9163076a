/// \file
/// A deterministic scheduler: runs a few tasks as fibers on one thread, and goes through all their interleavings that
/// need no more than a given number of preemptions (context-bounded search: most known concurrency bugs need two).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace optimux::pool::testing {

class Fiber;

/// Searches the interleavings of one scenario. A task can be preempted only at `point`, which the model's mutex, parker
/// and condition call; between two points a task runs alone.
class Explorer {
 public:
  struct Options {
    int preemptions = 2;                    ///< How often a task that could go on may be interrupted, in one execution.
    std::size_t most_executions = 200'000;  ///< Where the search gives up.
  };
  struct Result {
    std::size_t executions = 0;
    bool complete = false;  ///< Every interleaving within the bound has been tried.
    std::string failure;    ///< The first thing that went wrong; empty if nothing did.
    std::string schedule;   ///< The tasks in the order in which they ran then.
  };

  /// Runs `scenario` again and again: it sets up fresh objects and calls `spawn` and `when_quiet`; the tasks run after
  /// it has returned. What it returns is kept alive until the execution is over.
  static Result explore(const std::function<std::shared_ptr<void>(Explorer&)>& scenario, Options options);
  static Result explore(const std::function<std::shared_ptr<void>(Explorer&)>& scenario) {
    return explore(scenario, Options());
  }

  /// Adds a task. May also be called by a running task.
  void spawn(std::string name, std::function<void()> task);
  /// Adds something to do when no task can go on; done in the order of addition. Tasks that are still blocked after the
  /// last of them are a deadlock.
  void when_quiet(std::function<void()> task);
  /// Records that the execution went wrong.
  void fail(const std::string& message);
  /// `fail` unless `holds`.
  void require(bool holds, const std::string& message) {
    if (!holds) fail(message);
  }

  /// The explorer whose task is running.
  static Explorer& current();
  /// Another task may run here. Does nothing while a scenario is being set up.
  void point();
  /// Blocks the running task until `ready()` is true, or, if `may_time_out`, until the search picks it all the same.
  /// Returns false in the second case.
  bool block(std::function<bool()> ready, bool may_time_out = false);
  /// Identifies the running task.
  [[nodiscard]] std::size_t running() const { return running_; }

  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

 private:
  struct Task {
    std::string name;
    std::function<void()> run;
    std::function<bool()> ready;  // empty: can go on
    bool may_time_out = false;
    bool finished = false;
    Fiber* fiber = nullptr;
  };
  struct Choice {
    std::size_t taken;
    std::size_t options;
  };

  Explorer();
  ~Explorer();
  void execute(const std::function<std::shared_ptr<void>(Explorer&)>& scenario, const Options& options);
  void run_task(std::size_t index);
  bool advance_to_next_schedule();
  std::size_t choose(std::size_t options);
  std::vector<std::size_t> candidates(const Options& options, int& preemptions, std::size_t& free_ones);
  [[nodiscard]] bool can_go_on(const Task& task) const { return !task.finished && (!task.ready || task.ready()); }
  void yield();

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Task> tasks_;
  std::vector<std::function<void()>> quiet_;
  std::vector<Choice> choices_;
  std::size_t depth_ = 0;
  std::size_t running_ = 0;
  std::string failure_;
  std::string schedule_;
};

}  // namespace optimux::pool::testing
