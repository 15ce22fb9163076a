/// \file
/// What the driver compares: ways of getting jobs from one submitting thread to some workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace optimux::pool::bench {

/// Places in every bounded queue.
inline constexpr std::size_t kCapacity = 1024;

/// A pool with its workers running.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  /// Ends the workers. Not part of what is measured, as is the making.
  virtual ~Contender() = default;

  /// Submits `jobs` jobs that `burn(steps)` from the calling thread, in the way that is natural for the contender, and
  /// returns when all have ended. Called once.
  virtual void run(std::int64_t jobs, std::uint32_t steps) = 0;
};

/// Each makes a contender with so many workers; the sources in `contenders/` say what each is.
std::unique_ptr<Contender> make_optimux(int workers);
std::unique_ptr<Contender> make_optimux_functions(int workers);
std::unique_ptr<Contender> make_optimux_batches(int workers);
std::unique_ptr<Contender> make_task_queue_pool(int workers);
std::unique_ptr<Contender> make_tbb_queue(int workers);
std::unique_ptr<Contender> make_mutex_pool(int workers);
std::unique_ptr<Contender> make_channel_of_channels(int workers);
std::unique_ptr<Contender> make_no_pool(int workers);

}  // namespace optimux::pool::bench
