// What becomes of renditions whose source, inspection or render fails: everybody who waits is told, and nothing is
// kept.
#include "service/rendition_service.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/service/service_fixture.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using doubles::read;
using testing::HasSubstr;

class RenditionFailureTest : public ServiceFixture {};

TEST_F(RenditionFailureTest, AFailedFetchReachesAllAndIsNotKept) {
  auto first = open();
  auto second = open();
  auto other_size = open(spec({{90, 0}}));
  source.fail(ErrorCode::kNotFound, "no such file");
  for (const auto* opened : {&first, &second, &other_size}) EXPECT_EQ(error_of(*opened), ErrorCode::kNotFound);
  EXPECT_EQ(first.rendition->body()->error()->detail, "no such file");
  auto again = open();
  EXPECT_EQ(again.outcome, CacheOutcome::kMiss);
  finish();
  EXPECT_EQ(read(again.reader), "picture@10x0q0");
}

TEST_F(RenditionFailureTest, AFailedInspectionReachesAll) {
  auto first = open();
  executor.failed_inspection = 1;
  executor.failure = ErrorCode::kUnsupportedMedia;
  finish();
  EXPECT_EQ(error_of(first), ErrorCode::kUnsupportedMedia);
  EXPECT_EQ(executor.renders(), 0);
  EXPECT_EQ(service->figures().renders, 1U) << "it ran to a bad end";
  EXPECT_EQ(pool.cut_short(), 0) << "nobody told it to stop";
  expect_works();
}

TEST_F(RenditionFailureTest, BytesThatAreNoPictureAreFetchedAnew) {
  restart({.negative_cache = std::chrono::seconds(0)});
  for (const auto failure : {ErrorCode::kUnsupportedMedia, ErrorCode::kBrokenMedia}) {
    const auto broken = open(remote());
    executor.failed_inspection = executor.inspections() + 1;
    executor.failure = failure;
    finish();
    EXPECT_EQ(error_of(broken), failure);
    EXPECT_EQ(service->figures().source_cache_entries, 0U);
  }
  EXPECT_EQ(source.fetches(), 2);
}

TEST_F(RenditionFailureTest, APictureThatIsOverALimitIsNotFetchedAnew) {
  const auto large = open(remote({{10, 0}}));
  executor.failed_inspection = 1;
  executor.failure = ErrorCode::kLimitExceeded;
  finish();
  EXPECT_EQ(error_of(large), ErrorCode::kLimitExceeded);
  auto small = open(remote({{5, 0}}));
  finish();
  EXPECT_EQ(read(small.reader), "picture@5x0q0");
  EXPECT_EQ(source.fetches(), 1);
}

TEST_F(RenditionFailureTest, AFailedRenderReachesAllAndIsNotKept) {
  auto opened = open_all(spec({{10, 0}, {20, 0}}));
  executor.failed_render = 1;
  finish();
  EXPECT_EQ(error_of(opened[0]), ErrorCode::kBrokenMedia);
  EXPECT_EQ(error_of(opened[1]), ErrorCode::kBrokenMedia);
  EXPECT_EQ(service->figures().renders, 1U);
  EXPECT_EQ(service->figures().cancelled, 0U);
  EXPECT_EQ(pool.cut_short(), 0);
  EXPECT_EQ(service->figures().cache_entries, 0U);
  EXPECT_EQ(open().outcome, CacheOutcome::kMiss);
}

TEST_F(RenditionFailureTest, APictureThatIsBrokenFurtherOnIsRefusedAtOnceInAllSizesAndDescribedAllTheSame) {
  const auto broken = open();
  executor.failed_render = 1;
  finish();
  EXPECT_EQ(error_of(broken), ErrorCode::kBrokenMedia);
  const auto other_size = open(spec({{20, 0}}));
  EXPECT_EQ(error_of(other_size), ErrorCode::kBrokenMedia);
  EXPECT_EQ(source.fetches(), 1);
  auto described = service->open_info(spec().source, base::Deadline::never());
  TransformSpec next_page = spec();
  next_page.render.page = 1;
  auto page = open(next_page);
  finish();
  EXPECT_TRUE(is_complete(described));
  EXPECT_TRUE(is_complete(page));
}

TEST_F(RenditionFailureTest, APictureWhoseHeaderIsBrokenIsRefusedAtOnceWhateverIsWantedOfIt) {
  const auto broken = open();
  executor.failed_inspection = 1;
  finish();
  const auto described = service->open_info(spec().source, base::Deadline::never());
  EXPECT_EQ(error_of(described), error_of(broken));
  EXPECT_EQ(source.fetches(), 1);
}

TEST_F(RenditionFailureTest, NobodyJoinsABodyThatHasFailed) {
  auto first = open();
  source.answer();
  executor.failed_render = 1;
  first.reader.acknowledge_head();
  std::optional<OpenedRendition> second;
  executor.during_render = [&](std::size_t, const media::OperationControl&) {
    // The head has come; what comes next is the failure, in this thread.
    first.reader.acknowledge_head();
    EXPECT_TRUE(first.reader.wait([&] { second = open(); }));
    executor.during_render = nullptr;
  };
  pool.run_next();
  EXPECT_EQ(error_of(first), ErrorCode::kBrokenMedia);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->outcome, CacheOutcome::kMiss);
  finish();
  EXPECT_EQ(read(second->reader), "picture@10x0q0");
}

TEST_F(RenditionFailureTest, AThrowInAWorkerReachesTheReader) {
  auto first = open();
  executor.during_inspect = [] { throw std::bad_alloc(); };
  finish();
  EXPECT_EQ(error_of(first), ErrorCode::kInternal);
  executor.during_inspect = nullptr;
  expect_works();
}

TEST_F(RenditionFailureTest, AFailedInfoIsNotKept) {
  auto first = service->open_info(spec().source, base::Deadline::never());
  executor.failed_inspection = 2;  // the one with the BlurHash
  finish();
  EXPECT_EQ(error_of(first), ErrorCode::kBrokenMedia);
  EXPECT_EQ(service->figures().cache_entries, 0U);
}

}  // namespace
}  // namespace optimux::service
