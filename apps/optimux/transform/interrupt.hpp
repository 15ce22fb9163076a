#pragma once

#include "source/descriptor.hpp"
#include "source/reactor.hpp"

#include <functional>

namespace optimux::apps {

/// SIGINT and SIGTERM as an event of the loop. Made before any thread is started, because it blocks both signals for
/// the calling thread and for all that come from it. Signals that would end the program in the middle of a write
/// (SIGPIPE, SIGXFSZ) are ignored from then on: the write fails instead, and is reported.
class Interrupt {
 public:
  Interrupt();

  /// Calls `interrupted` in the loop's thread at each signal. `reactor` must outlive the watch.
  void watch(source::Reactor& reactor, std::function<void()> interrupted);
  /// The end of the watch. Called in the loop's thread, or after the loop has ended.
  void unwatch(source::Reactor& reactor);
  /// Takes the signals that wait; whether there were any.
  bool take();
  /// Readable while a signal waits to be taken.
  int descriptor() const { return signals_.get(); }

 private:
  source::Descriptor signals_;
};

}  // namespace optimux::apps
