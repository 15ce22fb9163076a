#include "source/object_ranged_source.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "unit/source/manual_reactor.hpp"
#include "unit/source/ranged_reading.hpp"

namespace optimux::source {
namespace {

std::shared_ptr<const base::ByteBuffer> bytes_of(std::string_view text) {
  return std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(text)));
}

/// Holds one object, answers at once, and remembers what it was asked.
class OneObjectStore final : public ObjectStore {
 public:
  void run(ObjectRequest request, ObjectCallback callback) override {
    asked = request;
    if (failure) return callback(base::fail(*failure, "failed by the test"));
    if (!request.required_etag.empty() && request.required_etag != etag) {
      return callback(base::fail(base::ErrorCode::kOriginFailed, "changed"));
    }
    ObjectAnswer answer;
    answer.facts.source.etag = etag;
    answer.facts.metadata = metadata;
    answer.size = told_size != 0 ? told_size : content.size();
    answer.bytes = bytes_of(std::string_view(content).substr(request.range->first, request.range->count));
    callback(std::move(answer));
  }
  ObjectStoreFigures figures() const override { return {}; }

  std::string content = std::string(100'000, 'a') + std::string(100'000, 'b');
  std::string etag = "\"state\"";
  std::uint64_t told_size = 0;  ///< 0: the truth.
  std::map<std::string, std::string> metadata;
  std::optional<base::ErrorCode> failure;
  ObjectRequest asked;
};

class ObjectRangedSourceTest : public testing::Test {
 protected:
  explicit ObjectRangedSourceTest() { make_source(1 << 20); }
  void make_source(std::uint64_t max_video_bytes) {
    source = std::make_unique<ObjectRangedSource>(&store, ObjectSource::in_place({"bucket", "videos/"}),
                                                  max_video_bytes, reactor);
  }
  OpenResult open(const std::string& key = "a.mp4") {
    auto result = start_open(*source, FetchRequest{.locator = *make_file_locator(key), .stop = {}});
    reactor.run_posted();
    return result.get();
  }
  std::shared_ptr<RangedFile> opened() {
    auto file = open();
    return file ? *file : nullptr;
  }

  ManualReactor reactor;
  OneObjectStore store;
  std::unique_ptr<ObjectRangedSource> source;
};

TEST_F(ObjectRangedSourceTest, OpensAndReadsParts) {
  const auto file = opened();
  ASSERT_TRUE(file);
  EXPECT_EQ(store.asked.name, (ObjectName{"bucket", "videos/a.mp4"}));
  EXPECT_EQ(store.asked.range, (ByteRange{0, RangedFile::kHeadBytes}));
  EXPECT_EQ(file->size(), 200'000u);
  EXPECT_EQ(file->facts().etag, "\"state\"");
  EXPECT_EQ(file->head().size(), RangedFile::kHeadBytes);
  EXPECT_EQ(text_of(start_read(*file, 99'999, 2).get()), "ab");
  EXPECT_EQ(store.asked.range, (ByteRange{99'999, 2}));
  EXPECT_EQ(store.asked.required_etag, "\"state\"");
}

TEST_F(ObjectRangedSourceTest, AnEmptyObjectIsOneWithoutBytes) {
  store.failure = base::ErrorCode::kRangeNotSatisfiable;
  const auto file = opened();
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 0u);
  EXPECT_TRUE(file->head().empty());
}

TEST_F(ObjectRangedSourceTest, AnObjectThatChangesIsAFailure) {
  const auto file = opened();
  ASSERT_TRUE(file);
  store.told_size = 200'001;
  EXPECT_EQ(outcome_of(start_read(*file, 0, 1).get()), "origin_failed");
  store.told_size = 0;
  store.etag = "\"another\"";
  EXPECT_EQ(outcome_of(start_read(*file, 0, 1).get()), "origin_failed");
  store.failure = base::ErrorCode::kRangeNotSatisfiable;
  EXPECT_EQ(outcome_of(start_read(*file, 0, 1).get()), "origin_failed");
}

TEST_F(ObjectRangedSourceTest, AStoreWithoutTagsIsBelievedForItsSizeAlone) {
  store.etag.clear();
  const auto file = opened();
  ASSERT_TRUE(file);
  EXPECT_EQ(outcome_of(start_read(*file, 0, 1).get()), "ok");
  store.etag = "\"suddenly\"";
  EXPECT_EQ(outcome_of(start_read(*file, 0, 1).get()), "origin_failed");
}

TEST_F(ObjectRangedSourceTest, APartMustBeWhole) {
  const auto file = opened();
  ASSERT_TRUE(file);
  store.told_size = store.content.size();
  store.content.resize(100);
  EXPECT_EQ(outcome_of(start_read(*file, 50, 100).get()), "origin_failed");
  EXPECT_EQ(outcome_of(open()), "origin_failed");
}

TEST_F(ObjectRangedSourceTest, AnObjectOverTheLimitIsRefusedByName) {
  make_source(200'000);
  EXPECT_EQ(outcome_of(open()), "ok");
  make_source(199'999);
  const auto refused = open();
  ASSERT_EQ(outcome_of(refused), "source_too_large");
  EXPECT_NE(refused.error().detail.find("max_video_bytes"), std::string::npos);
}

TEST_F(ObjectRangedSourceTest, ARenditionIsNoSource) {
  store.metadata = {{kProcessedMark, "1"}};
  EXPECT_EQ(outcome_of(open()), "not_found");
}

TEST_F(ObjectRangedSourceTest, NothingLeadsOutOfItsPlace) {
  EXPECT_EQ(outcome_of(open("../secret")), "not_found");
  EXPECT_EQ(store.asked.name, ObjectName{});
}

TEST_F(ObjectRangedSourceTest, PassesFailuresOn) {
  const auto file = opened();
  ASSERT_TRUE(file);
  store.failure = base::ErrorCode::kOriginTimeout;
  EXPECT_EQ(outcome_of(open()), "origin_timeout");
  EXPECT_EQ(outcome_of(start_read(*file, 0, 1).get()), "origin_timeout");
}

TEST_F(ObjectRangedSourceTest, AFileOutlivesItsSourceAndIsReadNoMore) {
  const auto file = opened();
  ASSERT_TRUE(file);
  source.reset();
  EXPECT_EQ(outcome_of(start_read(*file, 0, 1).get()), "shutting_down");
}

}  // namespace
}  // namespace optimux::source
