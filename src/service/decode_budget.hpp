#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <variant>

#include "base/mutex.hpp"
#include "base/result.hpp"

namespace optimux::service {

/// The memory that all renders may take at one time, by estimate. Who does not fit waits in line, first come, first
/// served: a large render is never overtaken for ever by small ones. Nothing blocks; a place in the line is a
/// callback.
///
/// Thread-safe. Callbacks run with no lock held, in the thread that gave memory back. Must be owned by a shared_ptr.
class DecodeBudget : public std::enable_shared_from_this<DecodeBudget> {
 public:
  /// Memory that has been granted; dropping it gives the memory back. Movable. An empty one holds nothing.
  class Lease;
  /// A place in the line; dropping it leaves the line. Movable. An empty one waits for nothing.
  class Ticket;
  /// Gets the lease, or kLimitExceeded when the budget has become smaller than the demand. Called once, unless the
  /// ticket was given up before; a callback that is being called at that moment may still be running.
  using Granted = std::function<void(base::Result<Lease>)>;
  using Place = std::variant<Lease, Ticket>;

  explicit DecodeBudget(std::uint64_t total) : total_(total) {}

  /// Grants `bytes` at once, or takes a place in the line. kLimitExceeded when `bytes` are more than the whole budget:
  /// a budget that some may exceed protects nobody, and to try again would not help.
  base::Result<Place> acquire(std::uint64_t bytes, Granted granted) OPTIMUX_EXCLUDES(mutex_);

  /// From now on there are `total` bytes. What has been granted stays; who can never be served now is told so
  /// when its turn comes.
  void set_total(std::uint64_t total) OPTIMUX_EXCLUDES(mutex_);

  std::uint64_t in_use() const OPTIMUX_EXCLUDES(mutex_);
  std::size_t waiting() const OPTIMUX_EXCLUDES(mutex_);

 private:
  struct Waiter {
    std::uint64_t id = 0;
    std::uint64_t bytes = 0;
    Granted granted;
  };
  using Line = std::list<Waiter>;

  bool fits(std::uint64_t bytes) const OPTIMUX_REQUIRES(mutex_) { return bytes <= total_ && in_use_ <= total_ - bytes; }
  base::Error too_large(std::uint64_t bytes) const OPTIMUX_REQUIRES(mutex_);
  bool next_is_ready() const OPTIMUX_REQUIRES(mutex_);
  void serve_line() OPTIMUX_EXCLUDES(mutex_);
  base::Result<Lease> take(std::uint64_t bytes) OPTIMUX_REQUIRES(mutex_);
  void release(std::uint64_t bytes) OPTIMUX_EXCLUDES(mutex_);
  void leave(std::uint64_t id) OPTIMUX_EXCLUDES(mutex_);

  mutable base::Mutex mutex_;
  std::uint64_t total_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t in_use_ OPTIMUX_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_id_ OPTIMUX_GUARDED_BY(mutex_) = 1;
  Line line_ OPTIMUX_GUARDED_BY(mutex_);
  bool is_serving_ OPTIMUX_GUARDED_BY(mutex_) = false;
};

class DecodeBudget::Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease() { release(); }

 private:
  friend class DecodeBudget;
  Lease(std::shared_ptr<DecodeBudget> budget, std::uint64_t bytes) : budget_(std::move(budget)), bytes_(bytes) {}
  void release();

  std::shared_ptr<DecodeBudget> budget_;
  std::uint64_t bytes_ = 0;
};

class DecodeBudget::Ticket {
 public:
  Ticket() = default;
  Ticket(Ticket&& other) noexcept = default;
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket() { leave(); }

 private:
  friend class DecodeBudget;
  Ticket(std::shared_ptr<DecodeBudget> budget, std::uint64_t id) : budget_(std::move(budget)), id_(id) {}
  void leave();

  std::shared_ptr<DecodeBudget> budget_;
  std::uint64_t id_ = 0;
};

}  // namespace optimux::service
