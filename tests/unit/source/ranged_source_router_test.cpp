#include "source/ranged_source_router.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

class RecordingSource final : public RangedSource {
 public:
  RecordingSource(std::string name, std::vector<std::string>& events) : name_(std::move(name)), events_(events) {}
  void open(FetchRequest request, OpenCallback callback) override {
    events_.push_back(name_ + " " + request.locator.value);
    callback(base::fail(base::ErrorCode::kNotFound, ""));
  }

 private:
  const std::string name_;
  std::vector<std::string>& events_;
};

TEST(RangedSourceRouter, PicksTheBackendByKindAndPassesTheCallbackOn) {
  std::vector<std::string> events;
  RangedSourceRouter router(std::make_unique<RecordingSource>("file", events),
                            std::make_unique<RecordingSource>("http", events),
                            std::make_unique<RecordingSource>("objects", events));
  for (const char* url : {"file:///a", "http://h/b", "s3://bucket/c"}) {
    router.open({.locator = *parse_source_url(url), .stop = {}},
                [&](const auto& result) { events.push_back(std::string(name_of(result.error().code))); });
  }
  EXPECT_EQ(events, std::vector<std::string>(
                        {"file a", "not_found", "http http://h/b", "not_found", "objects bucket/c", "not_found"}));
}

}  // namespace
}  // namespace optimux::source
