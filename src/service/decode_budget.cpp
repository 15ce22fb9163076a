#include "service/decode_budget.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/quantity.hpp"

namespace optimux::service {

DecodeBudget::Lease& DecodeBudget::Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    budget_ = std::move(other.budget_);
    bytes_ = other.bytes_;
  }
  return *this;
}

void DecodeBudget::Lease::release() {
  if (const auto budget = std::exchange(budget_, nullptr)) budget->release(bytes_);
}

DecodeBudget::Ticket& DecodeBudget::Ticket::operator=(Ticket&& other) noexcept {
  if (this != &other) {
    leave();
    budget_ = std::move(other.budget_);
    id_ = other.id_;
  }
  return *this;
}

void DecodeBudget::Ticket::leave() {
  if (const auto budget = std::exchange(budget_, nullptr)) budget->leave(id_);
}

base::Result<DecodeBudget::Place> DecodeBudget::acquire(std::uint64_t bytes, Granted granted) {
  base::MutexLock lock(mutex_);
  if (bytes > total_) return base::fail(too_large(bytes));
  if (line_.empty() && fits(bytes)) return Place(std::move(*take(bytes)));
  line_.push_back(Waiter{next_id_, bytes, std::move(granted)});
  return Place(Ticket(shared_from_this(), next_id_++));
}

base::Error DecodeBudget::too_large(std::uint64_t bytes) const {
  return {base::ErrorCode::kLimitExceeded,
          "the picture would take " + base::format_bytes(bytes) + " of memory; decoded_bytes allows " +
              base::format_bytes(total_),
          {}};
}

void DecodeBudget::set_total(std::uint64_t total) {
  {
    base::MutexLock lock(mutex_);
    total_ = total;
  }
  serve_line();
}

void DecodeBudget::release(std::uint64_t bytes) {
  {
    base::MutexLock lock(mutex_);
    in_use_ -= bytes;
  }
  serve_line();
}

bool DecodeBudget::next_is_ready() const {
  return !line_.empty() && (fits(line_.front().bytes) || line_.front().bytes > total_);
}

void DecodeBudget::serve_line() {
  // A callback may give memory back and come here again. One loop serves all, so that the stack does not grow with the
  // line.
  for (;;) {
    Granted granted;
    base::Result<Lease> answer;
    {
      base::MutexLock lock(mutex_);
      if (is_serving_ || !next_is_ready()) return;
      is_serving_ = true;
      granted = std::move(line_.front().granted);
      answer = take(line_.front().bytes);
      line_.pop_front();
    }
    granted(std::move(answer));
    base::MutexLock lock(mutex_);
    is_serving_ = false;
  }
}

base::Result<DecodeBudget::Lease> DecodeBudget::take(std::uint64_t bytes) {
  if (bytes > total_) return base::fail(too_large(bytes));
  in_use_ += bytes;
  return Lease(shared_from_this(), bytes);
}

void DecodeBudget::leave(std::uint64_t id) {
  Line removed;  // the callback may own its caller, so it is destroyed after the lock
  {
    base::MutexLock lock(mutex_);
    const auto found = std::find_if(line_.begin(), line_.end(), [id](const Waiter& waiter) { return waiter.id == id; });
    if (found == line_.end()) return;
    removed.splice(removed.end(), line_, found);
  }
  serve_line();  // the one behind may fit where this one did not
}

std::uint64_t DecodeBudget::in_use() const {
  base::MutexLock lock(mutex_);
  return in_use_;
}

std::size_t DecodeBudget::waiting() const {
  base::MutexLock lock(mutex_);
  return line_.size();
}

}  // namespace optimux::service
