#include "unit/source/descriptor_leaks.hpp"

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

namespace optimux::source {

std::size_t count_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

WithoutDescriptorLeaks::WithoutDescriptorLeaks() : descriptors_before_(count_descriptors()) {}

void WithoutDescriptorLeaks::expect_no_leaks() const {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (count_descriptors() > descriptors_before_ && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(count_descriptors(), descriptors_before_);
}

}  // namespace optimux::source
