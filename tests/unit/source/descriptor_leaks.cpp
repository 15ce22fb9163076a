#include "unit/source/descriptor_leaks.hpp"

#include <filesystem>
#include <iterator>

namespace optimux::source {

std::size_t count_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

WithoutDescriptorLeaks::WithoutDescriptorLeaks() : descriptors_before_(count_descriptors()) {}

void WithoutDescriptorLeaks::expect_no_leaks() const {
  EXPECT_EQ(count_descriptors(), descriptors_before_);
}

}  // namespace optimux::source
