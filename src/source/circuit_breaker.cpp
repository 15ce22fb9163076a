#include "source/circuit_breaker.hpp"

namespace optimux::source {

bool CircuitBreaker::admit(Clock::time_point now) {
  if (!open_until_) return true;
  if (now < *open_until_ || is_probing_) return false;
  is_probing_ = true;
  return true;
}

void CircuitBreaker::succeeded() {
  failures_ = 0;
  open_until_.reset();
  is_probing_ = false;
}

bool CircuitBreaker::failed(Clock::time_point now) {
  if (settings_.failures == 0) return false;
  // Of an attempt that was under way when the host was given up: it tells nothing new.
  if (open_until_ && !is_probing_) return false;
  ++failures_;
  if (!open_until_ && failures_ < settings_.failures) return false;
  open_until_ = now + settings_.time;
  is_probing_ = false;
  return true;
}

}  // namespace optimux::source
