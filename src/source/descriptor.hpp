#pragma once

#include <utility>

namespace optimux::source {

/// Owns one file descriptor and closes it. Movable; an empty one holds -1.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes `number` over; a negative one makes an empty object.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

  /// Closes what is held. `errno` stays as it was, so that it may be reported afterwards.
  void reset();

 private:
  int number_ = -1;
};

}  // namespace optimux::source
