#include "source/source_router.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

class DistantSource final : public Source {
 public:
  void fetch(FetchRequest, FetchCallback) override {}
  bool has_local_files() const override { return false; }
};

class RecordingSource final : public Source {
 public:
  RecordingSource(std::string name, std::vector<std::string>& events) : name_(std::move(name)), events_(events) {}
  void fetch(FetchRequest request, FetchCallback callback) override {
    events_.push_back(name_ + " " + request.locator.value);
    callback(base::fail(base::ErrorCode::kNotFound, ""));
  }

 private:
  const std::string name_;
  std::vector<std::string>& events_;
};

TEST(SourceRouterTest, PicksTheBackendByKindAndPassesTheCallbackOn) {
  std::vector<std::string> events;
  SourceRouter router(std::make_unique<RecordingSource>("file", events),
                      std::make_unique<RecordingSource>("http", events),
                      std::make_unique<RecordingSource>("objects", events));
  const auto callback = [&](const auto& result) { events.push_back(std::string(name_of(result.error().code))); };
  router.fetch({*parse_source_url("file:///a"), {}, {}}, callback);
  router.fetch({*parse_source_url("http://h/b"), {}, {}}, callback);
  router.fetch({*parse_source_url("s3://bucket/c"), {}, {}}, callback);
  EXPECT_EQ(events, std::vector<std::string>(
                        {"file a", "not_found", "http http://h/b", "not_found", "objects bucket/c", "not_found"}));
}

TEST(SourceRouterTest, HasLocalFilesIfItsStoreHas) {
  std::vector<std::string> events;
  const auto near = [&] { return std::make_unique<RecordingSource>("", events); };
  const auto distant = [] { return std::make_unique<DistantSource>(); };
  EXPECT_TRUE(SourceRouter(near(), distant(), distant()).has_local_files());
  EXPECT_FALSE(SourceRouter(distant(), near(), near()).has_local_files());
}

}  // namespace
}  // namespace optimux::source
