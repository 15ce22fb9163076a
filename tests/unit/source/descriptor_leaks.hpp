#pragma once

#include <cstddef>

#include <gtest/gtest.h>

namespace optimux::source {

/// Descriptors that this process has open now.
std::size_t count_descriptors();

/// A fixture whose end shows that a test has given all its descriptors back.
class WithoutDescriptorLeaks : public ::testing::Test {
 protected:
  WithoutDescriptorLeaks();
  /// Called by subclasses after their own clean-up. Gives threads that libcurl has detached the time to end: they free
  /// what they hold by themselves, and nothing tells when.
  void expect_no_leaks() const;
  void TearDown() override { expect_no_leaks(); }

 private:
  const std::size_t descriptors_before_;
};

}  // namespace optimux::source
