#pragma once

#include "apps/optimux/pool/shapes/request.hpp"
#include "apps/optimux/pool/shapes/thread_times.hpp"

#include <memory>
#include <string>
#include <vector>

namespace optimux::apps {

/// A way to spread requests over threads. Made with its threads running; its destructor joins them. All requests must
/// have been finished by then.
class Shape {
 public:
  Shape() = default;
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  virtual ~Shape() = default;

  /// Hands a request over, or does it on the spot. May block. Called by the clients' threads.
  virtual void start(Request& request) = 0;
};

/// A shape by its name. `stages` and `times` outlive what is made.
struct ShapeKind {
  std::string name;            ///< For --only and the JSON: "one-queue-4".
  std::string title;           ///< "one queue, 4 workers".
  bool flushes_early = false;  ///< The client gets the first bytes when they are there, not when the last one is.
  std::unique_ptr<Shape> (*make)(const Stages& stages, ThreadTimes& times);
};

/// All shapes, in the order in which they were tried.
const std::vector<ShapeKind>& all_shapes();

// One function for each, in a file of its own where there is something to it.

/// The client's own thread does it all.
std::unique_ptr<Shape> make_synchronous(const Stages& stages, ThreadTimes& times);
/// Four workers, each with a channel of its own, which it puts into a channel of channels when it is free; a dispatcher
/// takes a job, takes a channel, and sends the one over the other.
std::unique_ptr<Shape> make_dispatcher(const Stages& stages, ThreadTimes& times);
/// One queue; `kWorkers` take from it.
template <int kWorkers>
std::unique_ptr<Shape> make_one_queue(const Stages& stages, ThreadTimes& times);
/// One queue for each stage, each with workers of its own.
template <int kFetchers, int kProcessors>
std::unique_ptr<Shape> make_two_queues(const Stages& stages, ThreadTimes& times);
/// Four consumers ask a producer for two jobs at a time; it gives each job to the one that lacks most.
std::unique_ptr<Shape> make_demand_driven(const Stages& stages, ThreadTimes& times);
/// The worker pool with its default policy and a gate at the number of CPUs.
std::unique_ptr<Shape> make_dynamic_scaler(const Stages& stages, ThreadTimes& times);

}  // namespace optimux::apps
