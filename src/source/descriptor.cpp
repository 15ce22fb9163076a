#include "source/descriptor.hpp"

#include <unistd.h>

#include <cerrno>

namespace optimux::source {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::reset() {
  if (number_ < 0) return;
  const int saved = errno;
  ::close(std::exchange(number_, -1));
  errno = saved;
}

}  // namespace optimux::source
