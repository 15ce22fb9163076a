#include "media/vector_code_guard.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
// The second needs the first.
// clang-format off
#include <vips/vips.h>
#include <vips/vector.h>
// clang-format on

#include <thread>
#include <vector>

#include "media/executor.hpp"
#include "media/vips_handle.hpp"
#include "test_image.hpp"

namespace optimux::media {
namespace {

constexpr int kThreads = 8;
constexpr int kReductions = 1'000;

// Each reduction has machine code of its own compiled for it, which is freed with the picture.
void reduce_many_times() {
  const auto image = test::gradient(16, 16);
  for (int i = 0; i < kReductions; ++i) {
    VipsImage* reduced = nullptr;
    ASSERT_EQ(vips_reducev(image.get(), &reduced, 2.0 + 0.3 * (i % 7), nullptr), 0);
    const ImageHandle owned(reduced);
    ASSERT_EQ(vips_image_wio_input(reduced), 0);
  }
  release_thread_resources();
}

TEST(VectorCodeGuard, ThreadsMayCompileWhileOthersFree) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(reduce_many_times);
  for (std::thread& thread : threads) thread.join();
}

TEST(VectorCodeGuard, CostsNoMachineCodeWhereTheLinkerPutItInFront) {
  const bool uses_liborc = ::dlsym(RTLD_DEFAULT, "orc_executor_run") != nullptr;
  EXPECT_TRUE(vips_vector_isenabled() != FALSE || !uses_liborc);
}

}  // namespace
}  // namespace optimux::media
