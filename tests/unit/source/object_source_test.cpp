#include "source/object_source.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/source/loop_thread.hpp"
#include "unit/source/manual_reactor.hpp"
#include "unit/source/other_media.hpp"

namespace optimux::source {
namespace {

/// Answers at once, and remembers what it was asked.
class RecordingStore final : public ObjectStore {
 public:
  void run(ObjectRequest request, ObjectCallback callback) override {
    asked = request.name;
    validators = request.validators;
    is_other = request.is_other;
    callback(answer);
  }
  ObjectStoreFigures figures() const override { return {}; }

  ObjectName asked;
  SourceValidators validators;
  IsOther is_other;
  base::Result<ObjectAnswer> answer = ObjectAnswer{};
};

class ObjectSourceTest : public testing::Test {
 protected:
  std::string outcome(ObjectSource& source, SourceLocator locator) {
    std::string result = "none";
    source.fetch({std::move(locator), {}, {}}, [&](const FetchResult& fetched) { result = outcome_of(fetched); });
    reactor.run_posted();
    return result;
  }

  ManualReactor reactor;
  RecordingStore store;
};

TEST_F(ObjectSourceTest, FindsKeysOfTheDefaultStoreBelowItsPlace) {
  ObjectSource source(&store, ObjectSource::in_place({"bucket", "photos/"}), reactor);
  EXPECT_FALSE(source.has_local_files());
  EXPECT_EQ(outcome(source, *make_file_locator("static/a%20b.jpg")), "ok");
  EXPECT_EQ(store.asked, (ObjectName{"bucket", "photos/static/a%20b.jpg"}));
  store.asked = {};
  EXPECT_EQ(outcome(source, *make_file_locator("../secret.jpg")), "not_found");
  EXPECT_EQ(store.asked, ObjectName{});
}

TEST_F(ObjectSourceTest, FindsUrlsInAllowedPlacesAlone) {
  ObjectSource source(&store, ObjectSource::in_places({{"open", ""}, {"half", "public/"}}), reactor);
  EXPECT_EQ(outcome(source, *parse_source_url("s3://open/a.jpg")), "ok");
  EXPECT_EQ(outcome(source, *parse_source_url("s3://half/public/a.jpg")), "ok");
  EXPECT_EQ(store.asked, (ObjectName{"half", "public/a.jpg"}));
  store.asked = {};
  for (const char* url : {"s3://half/a.jpg", "s3://half/public/../a.jpg", "s3://closed/a.jpg", "s3://open/../half/a"}) {
    EXPECT_EQ(outcome(source, *parse_source_url(url)), "forbidden_source") << url;
  }
  EXPECT_EQ(store.asked, ObjectName{});
}

TEST_F(ObjectSourceTest, WithoutAPlaceNothingIsAllowed) {
  ObjectSource source(nullptr, ObjectSource::in_places({}), reactor);
  EXPECT_EQ(outcome(source, *parse_source_url("s3://bucket/a.jpg")), "forbidden_source");
}

TEST_F(ObjectSourceTest, ARenditionIsNoSource) {
  ObjectSource source(&store, ObjectSource::in_place({"bucket", ""}), reactor);
  store.answer->facts.metadata = {{kProcessedMark, "1"}};
  EXPECT_EQ(outcome(source, *make_file_locator("optimized/ab.webp")), "not_found");
}

TEST_F(ObjectSourceTest, AsksWhetherAnObjectIsUnchanged) {
  ObjectSource source(&store, ObjectSource::in_place({"bucket", ""}), reactor);
  store.answer->not_modified = true;
  FetchRequest request{*make_file_locator("a.jpg"), {}, {}};
  request.validators.etag = "\"tag\"";
  bool is_unchanged = false;
  source.fetch(request, [&](const FetchResult& fetched) { is_unchanged = fetched && fetched->not_modified; });
  EXPECT_TRUE(is_unchanged);
  EXPECT_EQ(store.validators, request.validators);
}

TEST_F(ObjectSourceTest, AsksAboutTheFirstBytes) {
  ObjectSource source(&store, ObjectSource::in_place({"bucket", ""}), reactor);
  FetchRequest request{*make_file_locator("a.mp4"), {}, {}};
  request.is_other = &begins_as_video;
  source.fetch(request, [](const FetchResult&) {});
  const std::string video = video_of(64);
  ASSERT_TRUE(store.is_other);
  EXPECT_TRUE(store.is_other(std::as_bytes(std::span(video))));
}

TEST_F(ObjectSourceTest, PassesFailuresOn) {
  ObjectSource source(&store, ObjectSource::in_place({"bucket", ""}), reactor);
  store.answer = base::fail(base::ErrorCode::kOriginFailed, "x");
  EXPECT_EQ(outcome(source, *make_file_locator("a.jpg")), "origin_failed");
}

}  // namespace
}  // namespace optimux::source
