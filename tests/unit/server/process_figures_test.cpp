#include "server/process_figures.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

TEST(ProcessFigures, AreThoseOfThisProcess) {
  const ProcessFigures figures = read_process_figures();
  EXPECT_GT(figures.cpu_seconds, 0);
  EXPECT_GT(figures.resident_bytes, 1u << 20);
  EXPECT_GT(figures.virtual_bytes, figures.resident_bytes);
  EXPECT_GE(figures.open_descriptors, 3u);
  EXPECT_GE(figures.max_descriptors, figures.open_descriptors);
  EXPECT_GE(figures.threads, 1);
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(figures.start_time, now + 1);
  EXPECT_GT(figures.start_time, now - 3600);
}

}  // namespace
}  // namespace optimux::server
